import { join } from 'node:path'
import { setUpApplication } from './application'
import { inProject, printStatus, projectFolder, SetupFailure } from './base.mjs'
import { ensureBuild, runTool } from './build'
import { ensureElectronBinary, environmentFor } from './engine'
import { runSuites, trustSuites } from './suites'
import { ensureLibraries, ensureTestPrograms, interruption, runInForeground } from './system'

/** The npm commands by name. Each sets up what it needs besides the dependencies, and resolves with the exit status. */
const commands: Record<string, (args: readonly string[]) => Promise<number>> = {
  /** Arguments go to Electron. */
  start: async (args) => {
    const run = await setUpApplication(args)
    await ensureBuild()
    return run(projectFolder)
  },

  dev,

  test: runSuites,

  /** The argument says how many minutes to soak; 0 skips the soak. The environment may set the values tried. */
  'test:trust': async ([minutes = '10']) => {
    if (!/^\d+(\.\d+)?$/.test(minutes)) {
      throw new SetupFailure(`"${minutes}" isn't a number of minutes.`, 'npm run test:trust -- 3')
    }
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    const { PROPERTY_RUNS = '2000', PROPERTY_SEED = today } = process.env
    Object.assign(process.env, { PROPERTY_RUNS, PROPERTY_SEED, SOAK_MINUTES: minutes })
    printStatus(`the seed of all properties is ${PROPERTY_SEED}`)
    return runSuites(trustSuites())
  },

  /** Runs the built-in deployment service in plain Node. Arguments go to the service. */
  service: async (args) => {
    await ensureBuild()
    return runInForeground(process.execPath, [inProject('out/service/service.cjs'), ...args])
  },

  /**
   * --size N (deployments, 100,000 by default), --json FILE (the figures), --only PARTS (some of cache, board,
   * comparison, application, idle, form, service, postgres, separated by commas).
   */
  bench: async (args) => {
    const electron = await ensureElectronBinary()
    await ensureLibraries(electron.path)
    await ensureTestPrograms()
    await ensureBuild()
    const config = inProject('test/bench/vite.config.ts')
    await runTool('Building the benchmarks', 'vite/bin/vite.js', ['build', '--config', config])
    return runInForeground(process.execPath, [inProject('out/bench/main.mjs'), ...args], {
      env: environmentFor(electron),
    })
  },

  package: async (args) => {
    await ensureBuild()
    const { packageFor } = await import('./packaging/package')
    return packageFor(args)
  },

  'package:service': async (args) => {
    await ensureBuild()
    const { packageService } = await import('./packaging/service')
    return packageService(args)
  },
}

/** @returns the command's exit status */
export function runCommand(name = '', args: readonly string[] = []): Promise<number> {
  const command = commands[name]
  if (command) return command(args)
  throw new SetupFailure(`There is no command "${name}".`, `one of: ${Object.keys(commands).join(', ')}`)
}

/**
 * Starts the application with hot reload. A change of the renderer shows in the open window. A change of the main
 * process or of a utility process restarts Slipway. Arguments go to Electron.
 */
async function dev(args: readonly string[]): Promise<number> {
  const run = await setUpApplication(args)
  const { developmentFolder, startDevelopment } = await import('./development')
  printStatus('Building for development …')
  const development = await startDevelopment()
  // A data folder of its own: unfinished code can't damage anyone's data, and it runs beside another Slipway.
  const switches = [`--user-data-dir=${join(developmentFolder, 'user-data')}`]
  try {
    for (;;) {
      const stop = new AbortController()
      const built = development.nextBuild().then(() => {
        printStatus('built again: restarting')
        stop.abort()
      })
      const status = await run(developmentFolder, { switches, stop: stop.signal })
      if (interruption()) return status
      if (stop.signal.aborted) continue
      if (status === 0) return status
      printStatus('Slipway starts again after the next change of the main process.')
      await built
    }
  } finally {
    await development.close()
  }
}
