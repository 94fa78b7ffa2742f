// The rooms of the project: which process a folder's code runs in decides what it may import. One table, which
// the lint rules "walls" and "one-door" read.

/**
 * @typedef {object} Room
 * @property {string} folder relative to the project, with slashes
 * @property {readonly string[]} rooms other rooms, or single files of them, that it may import
 * @property {readonly string[]} packages npm packages that it may import; "node" stands for Node's own modules
 * @property {readonly string[]} [typesOf] rooms of which it may import types alone
 */

/** @type {readonly Room[]} */
const rooms = [
  { folder: 'electron/contract', rooms: [], packages: ['zod'] },
  {
    folder: 'electron/main',
    rooms: ['electron/contract', 'resources'],
    packages: ['electron', 'fflate', 'node'],
  },
  {
    folder: 'electron/preload',
    // The names of calls and events are free of zod, which must not be bundled into the preload.
    rooms: ['electron/contract/ipc/names'],
    typesOf: ['electron/contract'],
    packages: ['electron'],
  },
  { folder: 'electron/keychain', rooms: ['electron/contract'], packages: ['keytar', 'node'] },
  { folder: 'electron/cache', rooms: ['electron/contract'], packages: ['libsql', 'node'] },
  {
    folder: 'electron/service',
    rooms: ['electron/contract', 'resources'],
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'libsql', 'node'],
  },
  {
    folder: 'electron/launcher',
    rooms: ['electron/launcher/development', 'electron/launcher/packaging'],
    packages: ['node'],
  },
  {
    folder: 'electron/launcher/development',
    rooms: ['electron/launcher'],
    packages: ['electron-vite', 'vite', 'node'],
  },
  {
    folder: 'electron/launcher/packaging',
    rooms: ['electron/launcher'],
    packages: ['electron-builder', '@electron/fuses', 'node'],
  },
  { folder: 'electron/launcher/stand-in-app', rooms: [], packages: ['electron', 'node'] },
  {
    folder: 'src',
    rooms: ['electron/contract', 'resources'],
    packages: [
      'vue',
      'vue-router',
      'pinia',
      'naive-ui',
      '@lucide/vue',
      '@tanstack/vue-virtual',
      'yaml',
      '@codemirror/commands',
      '@codemirror/lang-json',
      '@codemirror/lang-yaml',
      '@codemirror/language',
      '@codemirror/lint',
      '@codemirror/state',
      '@codemirror/view',
      '@lezer/highlight',
    ],
  },
]

/** Folders in which every file must be in a room. */
export const walledFolders = ['electron', 'src']

/**
 * @typedef {object} Door
 * @property {string} danger what goes through it, for people
 * @property {string | null} door the folder or file where it is allowed; null where nothing needs it
 * @property {readonly string[]} watched folders where it is forbidden
 * @property {readonly string[]} [exports] of the electron module
 * @property {readonly string[]} [members] properties of any object, also when destructured
 * @property {readonly string[]} [globals]
 * @property {readonly string[]} [modules]
 */

/** @type {readonly Door[]} */
export const doors = [
  {
    danger: 'IPC is registered',
    door: 'electron/main/ipc',
    watched: ['electron', 'src'],
    exports: ['ipcMain'],
  },
  {
    danger: 'HTTP leaves',
    door: 'electron/main/http',
    watched: ['electron/main', 'electron/preload', 'electron/contract', 'electron/keychain'],
    exports: ['net'],
    members: ['fetch'],
    globals: ['fetch'],
    modules: ['node:http', 'node:https', 'node:http2', 'http', 'https', 'http2', 'undici'],
  },
  {
    danger: 'HTTP leaves',
    door: 'electron/main/http',
    watched: ['src'],
    globals: ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'],
  },
  {
    danger: 'The keychain is opened',
    door: 'electron/keychain',
    watched: ['electron', 'src', 'test'],
    modules: ['keytar'],
  },
  {
    danger: 'External links are opened',
    door: null,
    watched: ['electron', 'src'],
    members: ['openExternal'],
  },
]

/**
 * Whether a path is a folder or inside it, by whole names.
 *
 * @param {string} path
 * @param {string} folder
 */
export const isInside = (path, folder) => path === folder || path.startsWith(`${folder}/`)

/**
 * The room of a file: the innermost that holds it.
 *
 * @param {string} path relative to the project, with slashes
 * @returns {Room | undefined}
 */
export function roomOf(path) {
  return rooms
    .filter((room) => isInside(path, room.folder))
    .sort((one, other) => other.folder.length - one.folder.length)[0]
}
