// The builds and the server of npm run dev. Vite's development server serves the renderer and replaces modules in the
// open page. Builds in watch mode have the main process, its utility processes and the preload.

import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { mergeConfig, resolveConfig } from 'electron-vite'
import { build, createServer, type InlineConfig, type Rolldown } from 'vite'
import manifest from '../../package.json' with { type: 'json' }
import { inProject, projectFolder } from './base.mjs'

/** The builds' folder, outside out/ so that none of it gets into a package or an ordinary start. */
export const developmentFolder = inProject('.cache/dev')

const address = '127.0.0.1'

export interface Development {
  /** Resolves after the next build of the main process or the service that doesn't fail. */
  nextBuild: () => Promise<void>
  /** Ends the server and the builds. */
  close: () => Promise<void>
}

/**
 * Serves the renderer on this machine, builds the rest into `developmentFolder`, and builds again after each change. A
 * change of the preload reloads the page. Build errors are printed.
 *
 * @returns after the first build, which may have failed
 */
export async function startDevelopment(): Promise<Development> {
  const http = createHttpServer()
  await once(http.listen(0, address), 'listening')
  const { port } = http.address() as AddressInfo
  const { main, service, preload, renderer } = await configurations(port)

  const vite = await createServer(
    mergeConfig(renderer, {
      cacheDir: join(developmentFolder, 'vite'),
      server: {
        middlewareMode: true,
        // The page comes from app://, and can't derive the server's address from its own.
        ws: { server: http, protocol: 'ws', host: address, clientPort: port },
        warmup: { clientFiles: ['main.ts'] },
      },
    }),
  )
  http.on('request', vite.middlewares)

  // Electron treats the folder as an application of the same name and version.
  const { name, version } = manifest
  mkdirSync(developmentFolder, { recursive: true })
  writeFileSync(
    join(developmentFolder, 'package.json'),
    JSON.stringify({ name, version, main: 'main/index.cjs' }),
  )
  const wake: (() => void)[] = []
  const wakeAll = (): void => {
    for (const waiting of wake.splice(0)) waiting()
  }
  const builds = await Promise.all([
    followSources(main, wakeAll),
    followSources(service, wakeAll),
    followSources(preload, () => vite.ws.send({ type: 'full-reload' })),
  ])
  return {
    nextBuild: () => new Promise((resolve) => wake.push(resolve)),
    close: async () => {
      await Promise.all([...builds.map((one) => one.close()), vite.close()])
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/**
 * The project's own configurations of its parts, for development.
 *
 * @param port of the development server
 */
export async function configurations(port: number) {
  const { config } = await resolveConfig({ root: projectFolder }, 'serve', 'development')
  const { main = {}, preload = {}, renderer = {} } = config ?? {}
  const into = (part: string): InlineConfig => ({
    logLevel: 'warn',
    // The application is still running from the last build.
    build: { outDir: join(developmentFolder, part), emptyOutDir: false },
  })
  return {
    main: mergeConfig(mergeConfig(main, into('main')), { define: { DEV_SERVER_PORT: String(port) } }),
    service: { ...into('service'), configFile: inProject('electron/launcher/service.vite.config.ts') },
    preload: mergeConfig(preload, into('preload')),
    renderer,
  }
}

/**
 * Builds, and builds again after each change of a source.
 *
 * @param built called after each build but the first
 * @returns after the first build
 */
async function followSources(config: InlineConfig, built: () => void): Promise<Rolldown.RolldownWatcher> {
  const watch = {
    exclude: [/[\\/]node_modules[\\/]/],
    // Milliseconds; an editor may write a file in two steps.
    buildDelay: 100,
  }
  const watcher = (await build(mergeConfig(config, { build: { watch } }))) as Rolldown.RolldownWatcher
  let first = true
  await new Promise<void>((resolve) => {
    // Vite prints the errors.
    watcher.on('event', ({ code }) => {
      if (code !== 'ERROR' && code !== 'BUNDLE_END') return
      resolve()
      if (code === 'ERROR') return
      if (!first) built()
      first = false
    })
  })
  return watcher
}
