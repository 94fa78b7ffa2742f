import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { ensureElectronBinary } from '../../electron/launcher/engine'
import { variablesFor } from '../support/main/variables'
import { harnessFolder } from './build'
import type { Answered, Asked, HarnessCall, HarnessCalls } from './protocol'

/** The harness ended before it answered. */
export class HarnessEnded extends Error {}

interface Waiting {
  resolve: (output: never) => void
  reject: (error: Error) => void
}

/** A running main process without a window, in real Electron. */
export class Harness {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #output = ''
  /** Resolves once it has ended. */
  readonly ended: Promise<void>

  private constructor(
    child: ChildProcess,
    private readonly userData: string,
  ) {
    this.#child = child
    child.on('message', (answered: Answered) => this.#take(answered))
    const listen = (piece: Buffer): void => void (this.#output += piece.toString())
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    this.ended = new Promise((resolve) =>
      child.once('close', () => {
        for (const { reject } of this.#waiting.values())
          reject(new HarnessEnded(`The harness ended.\n${this.#output}`))
        this.#waiting.clear()
        resolve()
      }),
    )
  }

  /**
   * Starts it and waits until it is ready.
   *
   * @param environment variables, such as that of the display
   */
  static async start(userData: string, environment: Record<string, string>): Promise<Harness> {
    const { path } = await ensureElectronBinary()
    // A test machine may forbid the sandbox, and only the project's own code runs here.
    const sandbox = process.platform === 'linux' ? ['--no-sandbox'] : []
    const child = spawn(path, [...sandbox, '--disable-gpu', `--user-data-dir=${userData}`, harnessFolder], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A process group with all its child processes. It ends by itself when its parent does.
      detached: true,
      // A proxy on this machine stands for the way to services elsewhere, which a trial engine would keep secrets from.
      env: variablesFor({ SLIPWAY_ALLOW_TRIAL_ENGINE: '1' }, environment),
    })
    const harness = new Harness(child, userData)
    await new Promise<void>((resolve, reject) => harness.#waiting.set(0, { resolve, reject }))
    return harness
  }

  /** Makes a call. Rejects with `HarnessEnded` if the harness ends before it answers. */
  ask<Call extends HarnessCall>(
    call: Call,
    input: HarnessCalls[Call]['input'],
  ): Promise<HarnessCalls[Call]['output']> {
    this.#calls += 1
    const message: Asked = { number: this.#calls, call, input }
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new HarnessEnded('The harness has ended.'))
      this.#waiting.set(message.number, { resolve, reject })
      this.#child.send(message)
    })
  }

  /** The process of one of Chromium's services; null if there is none. Linux only. */
  async processOf(service: string): Promise<number | null> {
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (command.includes(service) && command.includes(this.userData)) return Number(pid)
    }
    return null
  }

  /** Kills it and its processes, as a power cut does, and waits for their end. */
  async kill(): Promise<void> {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch (error) {
      // None of them is left.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    await this.ended
  }

  /** Its output. */
  get output(): string {
    return this.#output
  }

  #take(answered: Answered): void {
    const waiting = this.#waiting.get(answered.number)
    this.#waiting.delete(answered.number)
    if ('error' in answered) waiting?.reject(new Error(answered.error))
    else waiting?.resolve(answered.output as never)
  }
}
