import { randomBytes } from 'node:crypto'
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
import { type AgentRow, createRowMerger, type Entry, type RowMerger } from '@domain/agents/rows'
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

/** How many rows are merged before other work of the process gets a turn. */
const mergedAtOnce = 500

/** The first part of a cache. */
interface FirstPart {
  found: CacheOutput<'assigned-agents'>
  pinned: CacheOutput<'agents'>
  entries: CacheOutput<'agents'>
  cells: CellDeployment[]
}

/** A column of the board: an environment and its state. */
interface Column {
  environmentId: string
  /** Where the environment led when it was read; null if that wasn't known. */
  service: string | null
  shown: BoardColumn
  assigned: Map<number, { id: string; agent: string }>
  /** Cells that were read with the first part, by place. */
  cells: ReadonlyMap<number, CellDeployment>
}

/** The rows of a board as they are now. Reads the caches of its environments: first what the rows in view need, then the other rows. */
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
  let columns: Column[] = []
  let personal: KnownAgents = { pinned: [], assignedIn: () => new Map(), failure: null }
  let pinned: ReadonlySet<string> = new Set()

  const keep = (row: AgentRow): boolean =>
    row.matches && (!onlyDiffering || row.versionsDiffer || row.isMissing)

  const isChanged = (): boolean =>
    columns.some(({ environmentId, service }) => {
      const now = serviceOf(environmentId)
      return exists(environmentId) && service !== null && now !== null && now !== service
    })

  function take(merger: RowMerger): number {
    const taken = merger.take(mergedAtOnce)
    rows.push(...taken.filter((row) => keep(row) && !pinned.has(row.agent)))
    return taken.length
  }

  async function readFirst(): Promise<RowMerger> {
    personal = await agents.known()
    pinned = new Set(personal.pinned)
    const services = new Map(environmentIds.map((id) => [id, serviceOf(id)]))
    const answers = await allCaches.read(
      (reader, id) => firstPart(reader, [...personal.assignedIn(id).keys()]),
      {
        environmentIds,
        signal,
      },
    )
    const byId = new Map(answers.map((answer) => [answer.environmentId, answer]))
    columns = environmentIds.flatMap((id) => {
      const answer = byId.get(id)
      return answer ? [columnOf(answer, services.get(id) ?? null)] : []
    })
    const parts = columns.map(({ environmentId }) => {
      const answer = byId.get(environmentId)
      return answer?.state === 'cached' ? answer.value : null
    })
    const assignedEntries = columns.map((column, index) => entriesByHand(column, parts[index] ?? null))
    const mergerOf = (isWanted: (entry: Entry) => boolean): RowMerger =>
      createRowMerger(
        columns.map(({ shown, assigned }, index) => ({
          isComplete: shown.cache !== null && shown.cache.synchronisedAt !== null,
          assigned: new Map([...assigned].map(([place, { agent }]) => [place, agent])),
          assignedEntries: assignedEntries[index]!.filter(isWanted),
        })),
      )
    const ofPinned = mergerOf(({ agent }) => pinned.has(agent))
    const merger = mergerOf(() => true)
    parts.forEach((part, index) => {
      ofPinned.add(index, entriesOf(part?.pinned ?? []), true)
      const entries = entriesOf(part?.entries ?? [])
      merger.add(index, entries, entries.length < chunks.first)
    })
    pinnedRows.push(...ofPinned.take(agentLimits.only).filter(keep))
    take(merger)
    return merger
  }

  async function firstPart(reader: CacheReader, ids: string[]): Promise<Outcome<FirstPart>> {
    const found = ids.length > 0 ? await reader.ask('assigned-agents', { ids, search }) : succeed([])
    if (!found.ok) return found
    const ask = (limit: number, only: string[] | null): Promise<Outcome<CacheOutput<'agents'>>> =>
      reader.ask('agents', { search, after: null, limit, only })
    const ofPinned = pinned.size > 0 ? await ask(agentLimits.only, [...pinned]) : succeed([])
    if (!ofPinned.ok) return ofPinned
    const entries = await ask(chunks.first, null)
    if (!entries.ok) return entries
    const places = [
      ...[...ofPinned.value, ...entries.value].flatMap(([, , members]) =>
        members.slice(0, boardLimits.deployments).map(([place]) => place),
      ),
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
    const part = answer.state === 'cached' ? answer.value : null
    const byHand = personal.assignedIn(environmentId)
    return {
      environmentId,
      service,
      shown: {
        environmentId,
        state,
        cache: answer.state === 'cached' ? answer.cache : null,
        failure: answer.state === 'failed' ? answer.failure : null,
      },
      assigned: new Map((part?.found ?? []).map(([id, place]) => [place, { id, agent: byHand.get(id)! }])),
      cells: new Map((part?.cells ?? []).map((cell) => [cell.place, cell])),
    }
  }

  async function readRest(merger: RowMerger): Promise<void> {
    const wanted = new Set(merger.unfinished())
    const ids = columns.flatMap(({ environmentId }, index) => (wanted.has(index) ? [environmentId] : []))
    const lastKeys = new Map(
      columns.map(({ environmentId }, index) => [environmentId, merger.lastKey(index)]),
    )
    const answers = await allCaches.read(
      async (reader, id): Promise<Outcome<Entry[]>> => {
        const entries: Entry[] = []
        let after = lastKeys.get(id) ?? null
        for (;;) {
          if (signal.aborted) return fail(environmentChangedFailure)
          const part = await reader.ask('agents', { search, after, limit: chunks.further, only: null })
          if (!part.ok) return part
          entries.push(...entriesOf(part.value))
          if (part.value.length < chunks.further) return succeed(entries)
          after = part.value.at(-1)![0]
        }
      },
      { environmentIds: ids, signal },
    )
    const byId = new Map(answers.map((answer) => [answer.environmentId, answer]))
    columns.forEach((column, index) => {
      if (!wanted.has(index)) return
      const answer = byId.get(column.environmentId)
      merger.add(index, answer?.state === 'cached' ? answer.value : [], true)
      // The rows so far are shown, and the column says that there are more.
      if (answer?.state === 'failed')
        column.shown = { ...column.shown, state: 'failed', failure: answer.failure }
    })
  }

  let isWhole = false
  const first = readFirst()
  const rest = first
    // The rows in view come first.
    .then((merger) => new Promise<RowMerger>((resolve) => setImmediate(() => resolve(merger))))
    .then(async (merger) => {
      if (merger.unfinished().length > 0) await readRest(merger)
      while (take(merger) > 0) await new Promise((resolve) => setImmediate(resolve))
      isWhole = !signal.aborted
    })
  rest.catch(() => undefined)

  async function cellsOf(wanted: readonly AgentRow[], ids: readonly string[]): Promise<Map<string, Cells>> {
    const found = new Map<string, Cells>()
    const missing = new Map<string, number[]>()
    for (const id of ids) {
      const index = columns.findIndex(({ environmentId }) => environmentId === id)
      const column = columns[index]
      // It may have been removed meanwhile.
      if (!column || !exists(id)) continue
      const places = wanted.flatMap(({ members }) =>
        (members.get(index) ?? []).slice(0, boardLimits.deployments).map(([place]) => place),
      )
      if (places.every((place) => column.cells.has(place))) found.set(id, column.cells)
      else missing.set(id, places)
    }
    if (missing.size === 0) return found
    const answers = await allCaches.read(
      (reader, id) => reader.ask('agent-cells', { places: missing.get(id) ?? [] }),
      { environmentIds: [...missing.keys()] },
    )
    for (const answer of answers) {
      if (answer.state === 'cached') {
        found.set(answer.environmentId, new Map(answer.value.map((cell) => [cell.place, cell])))
      }
      const column = columns.find(({ environmentId }) => environmentId === answer.environmentId)
      if (answer.state === 'failed' && column) {
        column.shown = { ...column.shown, state: 'failed', failure: answer.failure }
      }
    }
    return found
  }

  function shownRow(row: AgentRow, cells: ReadonlyMap<string, Cells>): BoardRow {
    const shown: Record<string, BoardCell> = {}
    for (const [environmentId, known] of cells) {
      const index = columns.findIndex((one) => one.environmentId === environmentId)
      const column = columns[index]!
      const members = row.members.get(index) ?? []
      const deployments = members.slice(0, boardLimits.deployments).flatMap(([place]) => {
        const cell = known.get(place)
        const byHand = column.assigned.get(place)
        // The place may have another deployment by now.
        const isOfRow = byHand
          ? byHand.agent === row.agent && byHand.id === cell?.id
          : cell?.agent === row.agent
        return cell && isOfRow ? [{ ...cell, byHand: byHand !== undefined }] : []
      })
      shown[environmentId] = {
        deployments,
        more: Math.max(0, members.length - boardLimits.deployments),
      }
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
        columns: columns.flatMap(({ environmentId, shown }) => (exists(environmentId) ? [shown] : [])),
        rows: wanted.map((row) => shownRow(row, cells)),
        personalFailure: personal.failure,
      })
    },
    /** Stops reading further rows. */
    stop: (): void => stopped.abort(),
  }
}

type Cells = ReadonlyMap<number, CellDeployment>

const entriesOf = (read: CacheOutput<'agents'>): Entry[] =>
  read.map(([agent, matches, members]) => ({ agent, matches: matches === 1, members }))

/** The deployments that were assigned by hand, as entries of those agents, in the order of keys. */
function entriesByHand({ assigned }: Column, part: FirstPart | null): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [, place, version, matches] of part?.found ?? []) {
    const agent = assigned.get(place)?.agent
    if (agent === undefined) continue
    const before = entries.get(agent)
    entries.set(agent, {
      agent,
      matches: matches === 1 || (before?.matches ?? false),
      members: [...(before?.members ?? []), [place, version]],
    })
  }
  return [...entries.values()].sort((one, other) => (one.agent < other.agent ? -1 : 1))
}
