import type { ChildProcess } from 'node:child_process'
import { _electron, type ElectronApplication, type Page } from '@playwright/test'
import type { BrowserWindow } from 'electron'
import { projectFolder } from '../../../electron/launcher/base.mjs'
import { variablesFor } from '../../support/main/variables'

const startTimeLimit = 30_000
const closeTimeLimit = 10_000

/** Options of a start of the application. */
export interface StartOptions {
  /** The application's data folder. A restart uses the same one. */
  userData: string
  /** The variables of display, session bus and folders. */
  environment: Record<string, string>
  /** The folder of the application: by default, the built one. */
  program?: string
}

/** One run of the application in real Electron. */
export class Slipway {
  /** Unexpected errors so far: uncaught ones, and those on the page's console. */
  errors: string[] = []
  /** The main process's output. */
  output = ''
  private expected: RegExp[] = []
  private closed = false
  /** Its process. Playwright forgets it when it has ended. */
  private readonly child: ChildProcess

  private constructor(
    /** Playwright's handle. `evaluate` runs in the main process. */
    readonly app: ElectronApplication,
    /** The application's window. */
    readonly page: Page,
  ) {
    this.child = app.process()
  }

  /** Starts the application, and waits until its window shows the main navigation. */
  static async start({ userData, environment, program = projectFolder }: StartOptions): Promise<Slipway> {
    const app = await _electron.launch({
      // A virtual display has no GPU, and imitating one takes a sixth of a test's time.
      args: ['--disable-gpu', `--user-data-dir=${userData}`, program],
      cwd: projectFolder,
      env: variablesFor(environment),
      timeout: startTimeLimit,
    })
    const page = await app.firstWindow({ timeout: startTimeLimit })
    const slipway = new Slipway(app, page)
    slipway.listen()
    try {
      await page.getByRole('navigation', { name: 'Main' }).waitFor({ timeout: startTimeLimit })
    } catch (error) {
      await slipway.close()
      throw new Error(`The window did not become ready.\n${[...slipway.errors, slipway.output].join('\n')}`, {
        cause: error,
      })
    }
    return slipway
  }

  /** Whether it has ended, or was told to. */
  get isClosed(): boolean {
    return this.closed || this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Declares which errors the test expects. All others fail it. */
  expectErrors(...patterns: RegExp[]): void {
    this.expected.push(...patterns)
  }

  /** The errors that no test declared. */
  unexpectedErrors(): string[] {
    return this.errors.filter((error) => !this.expected.some((pattern) => pattern.test(error)))
  }

  /** Begins anew for another test: with no errors, of which none is expected. */
  forgetErrors(): void {
    this.errors = []
    this.expected = []
  }

  /** Each frame of a motion is painted by the processor. A switch of Chromium doesn't count: Playwright emulates motion. */
  reduceMotion(): Promise<void> {
    return this.page.emulateMedia({ reducedMotion: 'reduce' })
  }

  /** Sets the size of the window's contents, in pixels. */
  async resize(width: number, height: number): Promise<void> {
    const window = await this.app.browserWindow(this.page)
    await window.evaluate((own: BrowserWindow, size) => own.setContentSize(size.width, size.height), {
      width,
      height,
    })
    await this.page.waitForFunction((size) => innerWidth === size.width && innerHeight === size.height, {
      width,
      height,
    })
  }

  /**
   * Quits the application as an operator does, and waits for its end. After ten seconds it is killed, which is an
   * error. Does nothing if it has ended.
   */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.closed = true
    const { child } = this
    const force = setTimeout(() => {
      this.errors.push(`The application did not quit within ${closeTimeLimit / 1_000} s.`)
      child.kill('SIGKILL')
    }, closeTimeLimit)
    await this.app.close()
    clearTimeout(force)
  }

  /** Kills the application, as a crash or a power cut does. Does nothing if it has ended. */
  async kill(): Promise<void> {
    if (this.isClosed) return
    this.closed = true
    const gone = this.app.waitForEvent('close')
    this.child.kill('SIGKILL')
    await gone
  }

  private listen(): void {
    // Playwright doesn't notice an application that ended by itself.
    this.app.once('close', () => {
      this.closed = true
    })
    this.page.on('pageerror', (error) => this.errors.push(`page: ${error.stack ?? error.message}`))
    this.page.on('console', (message) => {
      if (message.type() === 'error')
        this.errors.push(`console: ${message.text()} (${message.location().url})`)
    })
    this.page.on('crash', () => this.errors.push('The renderer crashed.'))
    const { child } = this
    const listen = (piece: Buffer) => {
      const text = piece.toString()
      this.output += text
      if (/Uncaught|UnhandledPromiseRejection/.test(text)) this.errors.push(`main: ${text}`)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
  }
}
