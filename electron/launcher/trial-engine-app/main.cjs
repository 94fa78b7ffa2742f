// Replaces an official distribution's resources/default_app.asar, reduced to what Slipway uses: it loads preload modules
// (-r FILE, as Playwright passes them), then the application in the folder on the command line.

const { readFileSync } = require('node:fs')
const { join, resolve } = require('node:path')
const electron = require('electron')

// Electron's own default application uses two methods that its type declarations leave out.
const app =
  /** @type {Electron.App & { setVersion(version: string): void; setAppPath(path: string): void }} */ (
    electron.app
  )

/** @type {string | undefined} */
let folder
const args = process.argv.slice(1)
for (let index = 0; index < args.length; index += 1) {
  const arg = args[index] ?? ''
  if (arg === '-r' || arg === '--require') {
    index += 1
    require(resolve(args[index] ?? ''))
  } else if (!arg.startsWith('-')) {
    folder = resolve(arg)
    break
  }
}

if (folder === undefined) {
  console.error('usage: electron [options] FOLDER')
  app.exit(2)
} else {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (manifest.productName ?? manifest.name) app.setName(manifest.productName ?? manifest.name)
  if (manifest.version) app.setVersion(manifest.version)
  app.setAppPath(folder)
  require(join(folder, manifest.main ?? 'index.js'))
}
