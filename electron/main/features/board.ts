import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import {
  type Answers,
  type CallOutput,
  fail,
  type Failure,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import type { Environments } from '../environments'
import { existsIn, serviceIn, environmentChangedFailure } from '../environments/known'
import type { AllCaches, EnvironmentAnswer } from './all-caches'
import type { Agents, KnownAgents } from '../stored/personal/agents'
import { agentLimits, type CellDeployment } from '@contract/cache'
import type { CacheOutput } from '../../cache/protocol'
import type { BoardCell, BoardColumn, BoardRow } from '@contract/ipc/calls/caches'
import { boardLimits } from '@contract/ipc/screens'
import {
  agentsIn,
  type AgentRow,
  type ColumnOfRows,
  type Entry,
  type Member,
  rowOf,
} from '@domain/agents/rows'
import type { CacheReader } from '../processes/cache-client'

/** How many snapshots are kept: one for each choice of environments and filters. */
const maxSnapshots = 3

/** The board: agents by environments. It reads caches alone, and sends nothing. */
export function createBoard(options: BoardOptions): Answers<'board'> {
  const snapshots = new Map<string, ReturnType<typeof createSnapshot>>()
  const exists = existsIn(options.environments)

  return {
    async 'board.page'(input, signal) {
      const { snapshot: named, search, onlyDiffering } = input
      const name = named ?? randomBytes(8).toString('hex')
      let snapshot = snapshots.get(name)
      if (!snapshot) {
        if (named !== null) return fail(environmentChangedFailure)
        const environmentIds = [...new Set(input.environmentIds)].filter(exists)
        snapshot = createSnapshot(options, { environmentIds, search, onlyDiffering })
        snapshots.set(name, snapshot)
        for (const [oldest, old] of [...snapshots].slice(0, -maxSnapshots)) {
          old.stop()
          snapshots.delete(oldest)
        }
      }
      const page = await snapshot.page(input, signal)
      if (!page.ok) snapshots.delete(name)
      return page.ok ? succeed({ snapshot: name, ...page.value }) : page
    },
  }
}

/** The parts of the application that the board uses. */
export interface BoardOptions {
  allCaches: Pick<AllCaches, 'read'>
  agents: Pick<Agents, 'known'>
  environments: Pick<Environments, 'state' | 'destination'>
}

type Page = Omit<CallOutput<'board.page'>, 'snapshot'>

/** What a board shows. */
interface Shown {
  environmentIds: readonly string[]
  search: string
  onlyDiffering: boolean
}

/** How many agents are read from each cache: at first, for the rows in view, and then in each request. */
const chunks = { first: 30, further: 2_000 } as const

/** How many rows are made before other work of the process gets a turn. */
const madeAtOnce = 500

/** The first part of a cache. */
interface FirstPart {
  found: CacheOutput<'assigned-agents'>
  pinned: CacheOutput<'agents'>
  entries: CacheOutput<'agents'>
  cells: CellDeployment[]
}

/** A column of the board: an environment and its state. */
interface Column extends ColumnOfRows {
  /** Where the environment led when it was read; null if that wasn't known. */
  service: string | null
  shown: BoardColumn
  inferred: Map<string, Entry>
  assigned: ReadonlyMap<number, { id: string; agent: string }>
  /** The agent after which its cache is still to be read; null if it is read whole. */
  after: string | null
  /** Cells that were read with the first part, by place. */
  cells: Cells
}

/**
 * The rows of a board as they are now. Reads the caches of its environments: first what the rows in view need, then the
 * other rows.
 */
function createSnapshot(
  { allCaches, agents, environments }: BoardOptions,
  { environmentIds, search, onlyDiffering }: Shown,
) {
  const stopped = new AbortController()
  const { signal } = stopped
  const serviceOf = serviceIn(environments)
  const exists = existsIn(environments)
  const pinnedRows: AgentRow[] = []
  const rows: AgentRow[] = []
  const columns = new Map<string, Column>()
  let personal: KnownAgents = { pinned: [], assignedIn: () => new Map(), failure: null }
  let pinned: ReadonlySet<string> = new Set()
  let isWhole = false

  const isChanged = (): boolean =>
    [...columns].some(([id, { service }]) => {
      const now = serviceOf(id)
      return exists(id) && service !== null && now !== null && now !== service
    })

  const rowsOf = (some: readonly string[]): AgentRow[] =>
    some.flatMap((agent) => {
      const row = rowOf(agent, columns)
      return row?.matches && (!onlyDiffering || row.versionsDiffer || row.isMissing) ? [row] : []
    })

  function noteFailure(answer: EnvironmentAnswer<unknown>): void {
    const column = columns.get(answer.environmentId)
    if (column && answer.state === 'failed')
      column.shown = { ...column.shown, state: 'failed', failure: answer.failure }
  }

  /** Gives the agents whose rows aren't known yet: those after where a cache is still to be read. */
  async function readFirst(): Promise<(agent: string) => boolean> {
    personal = await agents.known()
    pinned = new Set(personal.pinned)
    const services = new Map(environmentIds.map((id) => [id, serviceOf(id)]))
    for (const answer of await allCaches.read(firstPart, { environmentIds, signal })) {
      const { environmentId } = answer
      columns.set(environmentId, columnOf(answer, services.get(environmentId) ?? null))
    }
    const [until] = [...columns.values()].flatMap(({ after }) => after ?? []).sort()
    const isUnknown = (agent: string): boolean => until !== undefined && agent > until
    const all = agentsIn(columns.values())
    pinnedRows.push(...rowsOf(all.filter((agent) => pinned.has(agent))))
    rows.push(...rowsOf(all.filter((agent) => !pinned.has(agent) && !isUnknown(agent))))
    return isUnknown
  }

  async function firstPart(reader: CacheReader, environmentId: string): Promise<Outcome<FirstPart>> {
    const ids = [...personal.assignedIn(environmentId).keys()]
    const found = ids.length > 0 ? await reader.ask('assigned-agents', { ids, search }) : succeed([])
    if (!found.ok) return found
    const ask = (limit: number, only: string[] | null): Promise<Outcome<CacheOutput<'agents'>>> =>
      reader.ask('agents', { search, after: null, limit, only })
    const ofPinned = pinned.size > 0 ? await ask(agentLimits.only, [...pinned]) : succeed([])
    if (!ofPinned.ok) return ofPinned
    const entries = await ask(chunks.first, null)
    if (!entries.ok) return entries
    const places = [
      ...[...ofPinned.value, ...entries.value].flatMap(([, , members]) => placesOf(members)),
      ...found.value.map(([, place]) => place),
    ]
    const cells = await reader.ask('agent-cells', {
      places: [...new Set(places)].slice(0, agentLimits.places),
    })
    if (!cells.ok) return cells
    return succeed({ found: found.value, pinned: ofPinned.value, entries: entries.value, cells: cells.value })
  }

  function columnOf(answer: EnvironmentAnswer<FirstPart>, service: string | null): Column {
    const { environmentId, state } = answer
    const cache = answer.state === 'cached' ? answer.cache : null
    const part = answer.state === 'cached' ? answer.value : { found: [], pinned: [], entries: [], cells: [] }
    const given = personal.assignedIn(environmentId)
    const byHand = new Map<string, Entry>()
    for (const [id, place, version, matches] of part.found) {
      const agent = given.get(id)!
      const before = byHand.get(agent)
      byHand.set(agent, {
        matches: matches === 1 || (before?.matches ?? false),
        members: [...(before?.members ?? []), [place, version]],
      })
    }
    return {
      service,
      shown: { environmentId, state, cache, failure: answer.state === 'failed' ? answer.failure : null },
      isComplete: cache !== null && cache.synchronisedAt !== null,
      inferred: entriesOf([...part.pinned, ...part.entries]),
      byHand,
      assigned: new Map(part.found.map(([id, place]) => [place, { id, agent: given.get(id)! }])),
      after: part.entries.length < chunks.first ? null : part.entries.at(-1)![0],
      cells: cellsByPlace(part.cells),
    }
  }

  async function readFrom(reader: CacheReader, environmentId: string): Promise<Outcome<Map<string, Entry>>> {
    const entries: CacheOutput<'agents'> = []
    for (let after = columns.get(environmentId)!.after; ; after = entries.at(-1)![0]) {
      if (signal.aborted) return fail(environmentChangedFailure)
      const part = await reader.ask('agents', { search, after, limit: chunks.further, only: null })
      if (!part.ok) return part
      entries.push(...part.value)
      if (part.value.length < chunks.further) return succeed(entriesOf(entries))
    }
  }

  async function readRest(isUnknown: (agent: string) => boolean): Promise<void> {
    const unread = [...columns].flatMap(([id, { after }]) => (after === null ? [] : id))
    for (const answer of await allCaches.read(readFrom, { environmentIds: unread, signal })) {
      // The rows so far are shown, and the column says that there are more.
      noteFailure(answer)
      if (answer.state !== 'cached') continue
      const { inferred } = columns.get(answer.environmentId)!
      for (const [agent, entry] of answer.value) inferred.set(agent, entry)
    }
    const left = agentsIn(columns.values()).filter((agent) => !pinned.has(agent) && isUnknown(agent))
    for (let at = 0; at < left.length; at += madeAtOnce) {
      rows.push(...rowsOf(left.slice(at, at + madeAtOnce)))
      await setImmediate()
    }
    isWhole = !signal.aborted
  }

  const first = readFirst()
  // The rows in view come first.
  const rest = first.then((isUnknown) => setImmediate(isUnknown)).then(readRest)
  rest.catch(() => undefined)

  async function cellsOf(wanted: readonly AgentRow[], ids: readonly string[]): Promise<Map<string, Cells>> {
    const found = new Map<string, Cells>()
    const missing = new Map<string, number[]>()
    for (const id of ids) {
      const column = columns.get(id)
      // It may have been removed meanwhile.
      if (!column || !exists(id)) continue
      const places = wanted.flatMap(({ members }) => placesOf(members.get(id)))
      if (places.every((place) => column.cells.has(place))) found.set(id, column.cells)
      else missing.set(id, places)
    }
    if (missing.size === 0) return found
    const answers = await allCaches.read(
      (reader, id) => reader.ask('agent-cells', { places: missing.get(id) ?? [] }),
      { environmentIds: [...missing.keys()] },
    )
    for (const answer of answers) {
      noteFailure(answer)
      if (answer.state === 'cached') found.set(answer.environmentId, cellsByPlace(answer.value))
    }
    return found
  }

  function shownRow(row: AgentRow, cells: ReadonlyMap<string, Cells>): BoardRow {
    const shown: Record<string, BoardCell> = {}
    for (const [environmentId, known] of cells) {
      const { assigned } = columns.get(environmentId)!
      const members = row.members.get(environmentId)
      const places = placesOf(members)
      const deployments = places.flatMap((place) => {
        const cell = known.get(place)
        const byHand = assigned.get(place)
        // The place may have another deployment by now.
        const isOfRow = byHand
          ? byHand.agent === row.agent && byHand.id === cell?.id
          : cell?.agent === row.agent
        return cell && isOfRow ? [{ ...cell, byHand: byHand !== undefined }] : []
      })
      shown[environmentId] = { deployments, more: (members?.length ?? 0) - places.length }
    }
    const { agent, versionsDiffer, isMissing } = row
    return { agent, versionsDiffer, isMissing, isPinned: pinned.has(agent), cells: shown }
  }

  return {
    async page(
      input: Pick<ParsedCallInput<'board.page'>, 'offset' | 'limit' | 'cellsOf' | 'isWhole'>,
      callSignal: AbortSignal,
    ): Promise<Outcome<Page>> {
      const end = input.offset + input.limit
      await first
      if (input.isWhole || pinnedRows.length + rows.length < end) await rest
      if (callSignal.aborted) return fail(callSignal.reason as Failure)
      if (isChanged()) return fail(environmentChangedFailure)
      const wanted = [...pinnedRows, ...rows].slice(input.offset, end)
      const cells = await cellsOf(wanted, input.cellsOf)
      if (isChanged()) return fail(environmentChangedFailure)
      return succeed({
        total: pinnedRows.length + rows.length,
        isWhole,
        columns: [...columns].flatMap(([id, { shown }]) => (exists(id) ? [shown] : [])),
        rows: wanted.map((row) => shownRow(row, cells)),
        personalFailure: personal.failure,
      })
    },
    /** Stops reading further rows. */
    stop: (): void => stopped.abort(),
  }
}

type Cells = ReadonlyMap<number, CellDeployment>

const cellsByPlace = (cells: readonly CellDeployment[]): Cells =>
  new Map(cells.map((cell) => [cell.place, cell]))

const entriesOf = (read: CacheOutput<'agents'>): Map<string, Entry> =>
  new Map(read.map(([agent, matches, members]) => [agent, { matches: matches === 1, members }]))

/** The places of the deployments that a cell shows. */
const placesOf = (members: readonly Member[] = []): number[] =>
  members.slice(0, boardLimits.deployments).map(([place]) => place)
