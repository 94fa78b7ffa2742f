// The builds and the server of npm run dev. Vite's development server serves the renderer and replaces modules in the
// open page. Builds in watch mode have the main process, its utility processes and the preload.

import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { mergeConfig, resolveConfig } from 'electron-vite'
import { build, createServer } from 'vite'
import { inProject, projectFolder } from '../base/paths.mjs'

/** The builds' folder, outside out/ so that none of it gets into a package or an ordinary start. */
export const developmentFolder = inProject('.cache/dev')

const address = '127.0.0.1'

/**
 * @typedef {object} Development
 * @property {() => Promise<void>} nextBuild resolves after the next build of the main process
 * @property {() => Promise<void>} close ends the server and the builds
 */

/**
 * Serves the renderer on this machine, builds the rest into `developmentFolder`, and builds again after each change. A
 * change of the preload reloads the page. Build errors are printed.
 *
 * @returns {Promise<Development>} after the first build, which may have failed
 */
export async function startDevelopment() {
  const http = createHttpServer()
  await once(http.listen(0, address), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address())
  const { main, preload, renderer } = await configurations(port)

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

  writeManifest()
  const [mainBuild, preloadBuild] = await Promise.all([
    followSources(main),
    followSources(preload, () => vite.ws.send({ type: 'full-reload' })),
  ])
  return {
    nextBuild: mainBuild.next,
    close: async () => {
      await Promise.all([mainBuild.close(), preloadBuild.close(), vite.close()])
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/**
 * The project's own configurations of its three parts, for development.
 *
 * @param {number} port of the development server
 */
export async function configurations(port) {
  const { config } = await resolveConfig({ root: projectFolder }, 'serve', 'development')
  if (!config?.main || !config.preload || !config.renderer) {
    throw new Error('electron.vite.config.ts lacks a part.')
  }
  /** @param {string} part */
  const into = (part) => ({
    logLevel: 'warn',
    // The application is still running from the last build.
    build: { outDir: join(developmentFolder, part), emptyOutDir: false },
  })
  return {
    main: mergeConfig(mergeConfig(config.main, into('main')), { define: { DEV_SERVER_PORT: String(port) } }),
    preload: mergeConfig(config.preload, into('preload')),
    renderer: config.renderer,
  }
}

/**
 * Builds, and builds again after each change of a source.
 *
 * @param {import('vite').InlineConfig} config
 * @param {() => void} [built] called after each build but the first
 * @returns {Promise<{ next: () => Promise<void>, close: () => Promise<void> }>} after the first build; `next` resolves
 *   after the next build that doesn't fail
 */
async function followSources(config, built) {
  const watch = {
    exclude: [/[\\/]node_modules[\\/]/],
    // Milliseconds; an editor may write a file in two steps.
    buildDelay: 100,
  }
  const watcher = /** @type {import('vite').Rolldown.RolldownWatcher} */ (
    await build(mergeConfig(config, { build: { watch } }))
  )
  /** @type {(() => void)[]} */
  let waiters = []
  await new Promise((resolve) => {
    let first = true
    // Vite prints the errors.
    watcher.on('event', ({ code }) => {
      if (code === 'ERROR') resolve(undefined)
      if (code !== 'BUNDLE_END') return
      resolve(undefined)
      if (!first) built?.()
      first = false
      for (const wake of waiters.splice(0)) wake()
    })
  })
  return {
    next: () => new Promise((resolve) => waiters.push(resolve)),
    close: () => watcher.close(),
  }
}

/** Makes Electron treat the folder as an application of the same name and version. */
function writeManifest() {
  const { name, version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
  mkdirSync(developmentFolder, { recursive: true })
  writeFileSync(
    join(developmentFolder, 'package.json'),
    JSON.stringify({ name, version, main: 'main/index.cjs' }),
  )
}
