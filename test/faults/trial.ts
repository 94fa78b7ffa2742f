import type { CreateRequest, CreationEntry, DeploymentDetail, NetworkSettings, Outcome } from '@contract'
import type { HarnessEnvironment } from '../harness/protocol'
import { HarnessEnded, type Harness } from '../harness/process'
import type { MadeCertificate } from '../support/main/certificates'
import { type Fault, FaultProxy, type Plan } from './fault-proxy'
import { ScriptedService } from './scripted-service'
import { type Case, isReadable, type Transport } from './cases'

/** What a trial needs besides its case. */
export interface Surroundings {
  transport: Transport
  /** The service's certificate, and how clients trust it. */
  certificate: MadeCertificate
  network: NetworkSettings
}

/** A connection without faults. */
const none: Plan = () => []

/**
 * Whether faults may turn a creation into a refusal by changing the text of HTTP: the answer, or one of two copies of
 * the request.
 */
function isDisguised(faults: readonly Fault[] = []): boolean {
  const changes = faults.filter(({ kind }) => ['corrupt', 'repeat', 'reorder'].includes(kind))
  const copies = faults.some(({ kind }) => kind === 'replay' || kind === 'repeat')
  return changes.some((fault) => copies || (fault.kind !== 'replay' && fault.direction === 'answer'))
}

/** The mark of an attempt without consent. */
const noConsent = 'no consent'

/** One running case: a service, the network in front of it, and an environment of the harness that leads there. */
export class Trial {
  /** Wrong reports, and requests that should not have been sent. */
  readonly wrong = new Set<string>()
  readonly name: string
  readonly environmentId: string
  /** The results of the attempts in order; null if the process ended before. */
  readonly outcomes: (Outcome<DeploymentDetail> | null)[] = []

  private constructor(
    readonly plan: Case,
    readonly service: ScriptedService,
    readonly proxy: FaultProxy,
    private readonly around: Surroundings,
    number: number,
  ) {
    this.name = `case-${number}`
    this.environmentId = `environment-${number}`
  }

  static async start(plan: Case, around: Surroundings, number: number): Promise<Trial> {
    const { protocol, insideTls } = around.transport
    const secured = protocol === 'plain' ? null : around.certificate
    const service = await ScriptedService.start(protocol, secured)
    service.habits = plan.habits
    const proxy = await FaultProxy.start(service.port, insideTls ? around.certificate : null)
    const trial = new Trial(plan, service, proxy, around, number)
    if (plan.colleague) {
      const source_revision_config = { image_uri: 'colleague/agent:7' }
      service.add(trial.name, { ...trial.request('colleague'), source_revision_config })
    }
    return trial
  }

  get environment(): HarnessEnvironment {
    const { transport, network } = this.around
    if (transport.isProxied) {
      const proxy = { mode: 'manual', host: '127.0.0.1', port: this.proxy.port, credentials: null } as const
      const baseUrl = `http://${this.environmentId}.example`
      return { id: this.environmentId, baseUrl, network: { ...network, proxy } }
    }
    const scheme = transport.protocol === 'plain' && !transport.insideTls ? 'http' : 'https'
    return { id: this.environmentId, baseUrl: `${scheme}://127.0.0.1:${this.proxy.port}`, network }
  }

  /** The request of an attempt. Attempts differ only in a secret's value, by which the service tells them apart. */
  request(mark: string): CreateRequest {
    const { padding = 0 } = this.plan
    return {
      name: this.name,
      source: 'internal_docker',
      source_config: padding === 0 ? {} : { install_command: 'x'.repeat(padding) },
      source_revision_config: { image_uri: 'internal/agent:1' },
      secrets: [{ name: 'A_SECRET', value: mark }],
    }
  }

  /** Creates under faults. Does nothing more if the process ends meanwhile. */
  async create(harness: Harness, faults: readonly Fault[], earlier: CreationEntry | null): Promise<void> {
    const attempt = this.outcomes.length
    const postsBefore = this.proxy.posts
    this.outcomes.push(null)
    this.#spoilNext(faults)
    const again = earlier && {
      attemptId: earlier.id,
      deploymentId: earlier.lookup?.deployment?.id ?? null,
      sentAgain: earlier.sentAgain,
    }
    try {
      const input = { environmentId: this.environmentId, request: this.request(`attempt-${attempt}`), again }
      this.outcomes[attempt] = await harness.ask('create', input)
    } catch (error) {
      if (!(error instanceof HarnessEnded)) throw error
    }
    this.proxy.plan = none
    const posts = this.proxy.posts - postsBefore
    if (posts > 1) this.wrong.add(`attempt ${attempt} sent ${posts} POSTs`)
  }

  /** Forgets a first attempt that isn't in the journal, because the process ended before: it created nothing. */
  forgetFirst(): void {
    if (this.service.arrived.length > 0) this.wrong.add('a POST left before its attempt was in the journal')
    this.outcomes.length = 0
  }

  /** Tries to create the name again without consent, which must not send anything while an attempt is unconfirmed. */
  async createWithoutConsent(harness: Harness): Promise<void> {
    const postsBefore = this.proxy.posts
    const input = { environmentId: this.environmentId, request: this.request(noConsent), again: null }
    const outcome = await harness.ask('create', input)
    const refused = !outcome.ok && outcome.failure.code === 'attempt-unconfirmed'
    // A background lookup may have settled the attempt just before. Then this is a new creation.
    const settled = !refused && (await this.attempts(harness)).every(({ state }) => state !== 'unconfirmed')
    if (settled) this.outcomes.push(outcome)
    else if (this.proxy.posts > postsBefore || this.service.arrived.includes(noConsent))
      this.wrong.add('a POST left while an attempt was unconfirmed')
  }

  async look(harness: Harness, entry: CreationEntry, faults: readonly Fault[]): Promise<void> {
    this.#spoilNext(faults)
    await harness.ask('look', { environmentId: this.environmentId, attemptId: entry.id })
    this.proxy.plan = none
  }

  /** This case's attempts in the journal, oldest first. */
  async attempts(harness: Harness): Promise<CreationEntry[]> {
    return (await harness.ask('attempts', null)).filter(
      ({ environmentId }) => environmentId === this.environmentId,
    )
  }

  /** Compares Slipway's reports with the service's state. `final`: the service has finished all its work. */
  async compare(harness: Harness, final = false): Promise<CreationEntry[]> {
    // The journal first: what it says is true then stays true.
    const entries = await this.attempts(harness)
    if (final) await this.service.idle()
    for (const problem of this.#falsehoods(entries)) this.wrong.add(problem)
    return entries
  }

  async close(): Promise<void> {
    await this.proxy.close()
    await this.service.close()
  }

  #spoilNext(faults: readonly Fault[]): void {
    const first = this.proxy.opened
    // Later connections are Slipway's own, such as repeated lookups.
    this.proxy.plan = ({ number }) => (number === first ? faults : [])
  }

  *#falsehoods(entries: readonly CreationEntry[]): Generator<string> {
    const { deployments, arrived } = this.service
    const own = deployments.filter(({ mark }) => mark !== null)
    const readable = isReadable(this.around.transport)
    const ofAttempts = [this.plan.first, this.plan.again]
    const has = (faults: readonly Fault[], ...kinds: Fault['kind'][]): boolean =>
      readable && faults.some(({ kind }) => kinds.includes(kind))
    const doubled = has(ofAttempts.flat(), 'repeat', 'replay')
    // Whoever changes the text of HTTP can tell any story of what the service did; that something was created all the
    // same is what is left.
    const changed = has([...ofAttempts.flat(), ...this.plan.look], 'corrupt', 'repeat', 'reorder')
    const nothing = own.length === 0
    if (!readable && new Set(arrived).size < arrived.length) yield 'a POST arrived twice'
    for (const [number, entry] of entries.entries()) {
      const made = own.filter(({ mark }) => mark === `attempt-${number}`)
      if (entry.state === 'created') {
        const named = deployments.find(({ id }) => id === entry.deploymentId)
        if (nothing) yield `attempt ${number} is reported as created, and nothing was`
        else if (!changed && named?.mark == null)
          yield `attempt ${number} is said to have created ${entry.deploymentId}, which is not its own`
        const others = entries.filter(({ deploymentId }) => deploymentId === entry.deploymentId)
        if (others.length > 1) yield `${others.length} attempts are said to have created the same deployment`
      }
      const isDisguisedHere = readable && isDisguised(ofAttempts[number])
      if (entry.state === 'refused' && made.length > 0 && !isDisguisedHere)
        yield `attempt ${number} is reported as refused (${entry.failure?.message}), and created a deployment`
    }
    for (const [number, outcome] of this.outcomes.entries()) {
      const entry = entries[number]
      if (outcome === null) continue
      if (outcome.ok && entry?.state !== 'created') yield `attempt ${number} succeeds, and is ${entry?.state}`
      if (outcome.ok && nothing) yield `attempt ${number} succeeds, and nothing was created`
    }
    if (entries.length > this.outcomes.length) yield 'the journal has more attempts than were made'
    if (entries.length < this.outcomes.length && own.some(({ mark }) => mark === `attempt-${entries.length}`))
      yield 'a deployment was created by an attempt that the journal does not have'
    if (!doubled && own.length > this.outcomes.length) yield 'more was created than was asked for'
  }
}
