// What each folder may import. A process may import only some others, and inside a process imports go down its layers.
// The lint rules "boundaries", "layers" and "restricted" read these tables.

/**
 * @typedef {object} Boundary
 * @property {string} folder relative to the project, with slashes: the code of one process
 * @property {readonly string[]} folders other folders, or single files of them, that it may import
 * @property {readonly string[]} packages npm packages that it may import; "node" stands for Node's own modules
 * @property {readonly string[]} [typesOf] folders of which it may import types alone
 * @property {readonly (readonly string[])[]} [layers] its folders and files, from the top down: each may import what is
 *   below its own line, and nothing else of this process but itself. An entry ends with "/" where it is a folder; "*"
 *   stands for the files beside the folders that no other entry names
 * @property {string} [apart] a folder of it whose folders import nothing of each other, wherever their parts are in
 *   `layers`
 */

/** @type {readonly Boundary[]} */
const boundaries = [
  {
    folder: 'electron/contract',
    folders: [],
    packages: ['zod'],
    layers: [
      ['index.ts'],
      ['ipc/'],
      ['cache/'],
      ['app/', 'deployment-api/reading/'],
      ['deployment-api/'],
      ['deployment-api/list/'],
      ['deployment-api/request/'],
      ['core/'],
    ],
  },
  // Rules that several processes share. Without Vue, Node and Electron, so that each of them can run them.
  {
    folder: 'electron/domain',
    folders: ['electron/contract'],
    packages: [],
    layers: [['agents/', 'attention/', 'compare/', 'history/'], ['labels/']],
  },
  // Threads of the main process and of the cache process.
  { folder: 'electron/threads', folders: [], packages: ['node'] },
  {
    folder: 'electron/main',
    folders: ['electron/contract', 'electron/domain', 'electron/threads', 'resources'],
    packages: ['electron', 'csv-stringify', 'electron-log', 'fflate', 'node'],
    layers: [
      ['index.ts'],
      ['application.ts'],
      ['application/'],
      ['application/startup/', 'ipc/', 'features/offline/'],
      [
        'features/deployments/',
        'features/repositories/',
        'features/diagnostics/',
        'features/files/environment-file/',
        'features/files/export/',
        'features/files/request-file/',
        'features/overview/',
        'features/comparison/',
        'features/watches/',
        'features/board/',
      ],
      ['features/watches/rules/'],
      ['features/deployments/creation/'],
      ['features/deployments/reconcile/'],
      ['features/deployments/attempts/', 'features/sync/', 'features/all-caches/'],
      ['features/deployments/list/'],
      ['processes/cache-client/', 'stored/choices/', 'stored/drafts/', 'stored/journal/', 'stored/personal/'],
      ['environments/'],
      ['environments/changes/'],
      ['environments/list/'],
      ['environments/profile/'],
      ['environments/model/'],
      ['processes/answers/'],
      ['http/'],
      ['http/failures/', 'http/sessions/'],
      ['http/exchange/'],
      ['stored/file/'],
      ['http/trust/', 'processes/keychain/', 'processes/built-in-service/', 'window/'],
      ['window/links/', 'window/menu/', 'window/recovery/'],
      ['window/dialogs/'],
      ['http/certificates/', 'window/notices/', 'window/page/', 'log/'],
      ['log/secrets/', 'files/', 'processes/', 'build.d.ts'],
      ['async/'],
    ],
  },
  {
    folder: 'electron/preload',
    // Both are free of zod, which must not be bundled into the preload.
    folders: ['electron/contract/ipc/names', 'electron/contract/core/outcome'],
    typesOf: ['electron/contract'],
    packages: ['electron'],
  },
  { folder: 'electron/keychain', folders: ['electron/contract'], packages: ['keytar', 'node'] },
  {
    folder: 'electron/cache',
    // It makes the calls to the keychain of a start.
    folders: ['electron/contract', 'electron/domain', 'electron/keychain/serve', 'electron/threads'],
    packages: ['libsql', 'node'],
    layers: [
      ['index.ts'],
      ['answer-request.ts'],
      ['request-handler.ts'],
      ['read-ahead/', 'run-request.ts'],
      ['read-stored.ts'],
      ['store/'],
      ['store/history/', 'store/query/'],
      ['store/database/'],
      ['store/encryption/'],
    ],
  },
  {
    folder: 'electron/service',
    folders: ['electron/contract', 'resources'],
    packages: [
      'commander',
      'hono',
      '@hono/node-server',
      '@hono/zod-openapi',
      'ipaddr.js',
      'kysely',
      'libsql',
      'pg',
      'pino',
      'prom-client',
      'proxy-addr',
      'node',
    ],
    layers: [
      ['index.ts', 'app.ts'],
      ['arguments.ts'],
      ['commands/', 'routes/', 'sample/'],
      ['access/', 'hosts/', 'http/'],
      ['archives.ts'],
      ['database/'],
      ['api/'],
      ['base/'],
    ],
  },
  {
    folder: 'electron/launcher',
    folders: ['electron/launcher/development', 'electron/launcher/packaging'],
    packages: ['node'],
    layers: [['commands/'], ['*'], ['suites/'], ['engine/'], ['setup/'], ['base/']],
  },
  {
    folder: 'electron/launcher/development',
    folders: ['electron/launcher/base'],
    packages: ['electron-vite', 'vite', 'node'],
  },
  {
    folder: 'electron/launcher/packaging',
    folders: ['electron/launcher/base'],
    packages: ['electron-builder', '@electron/fuses', 'node'],
  },
  { folder: 'electron/launcher/engine/trial-engine-app', folders: [], packages: ['electron', 'node'] },
  {
    folder: 'src',
    apart: 'screens',
    folders: ['electron/contract', 'electron/domain', 'resources'],
    packages: [
      'vue',
      'vue-router',
      'pinia',
      'naive-ui',
      '@lucide/vue',
      '@tanstack/vue-virtual',
      'd3-scale',
      'd3-shape',
      'yaml',
      '@codemirror/commands',
      '@codemirror/lang-json',
      '@codemirror/lang-yaml',
      '@codemirror/language',
      '@codemirror/lint',
      '@codemirror/merge',
      '@codemirror/state',
      '@codemirror/view',
      '@lezer/highlight',
    ],
    layers: [
      ['*'],
      ['router.ts'],
      [
        'screens/activity/',
        'screens/board/',
        'screens/compare/',
        'screens/deployment/',
        'screens/deployments/',
        'screens/environments/',
        'screens/new-deployment/',
        'screens/overview/',
        'screens/repositories/',
      ],
      [
        'screens/deployment/sections/',
        'screens/deployments/data-bar/',
        'screens/deployments/filters/',
        'screens/deployments/panel/',
        'screens/deployments/views/',
        'screens/environments/dialog/',
        'screens/new-deployment/dialogs/',
        'screens/new-deployment/notices/',
        'screens/new-deployment/request-text/',
        'screens/new-deployment/spec/',
        'screens/overview/chart/',
      ],
      [
        'screens/deployments/notices/',
        'screens/deployments/table/',
        'screens/new-deployment/fields/',
        'screens/new-deployment/spec/containers/',
      ],
      ['screens/new-deployment/spec/rows/', 'screens/new-deployment/spec/workloads/'],
      ['screens/new-deployment/spec/members/'],
      ['screens/new-deployment/form/', 'components/commands/', 'components/shell/', 'components/watches/'],
      ['components/shell/diagnostics/'],
      ['components/failure/'],
      [
        'components/failure/certificate/',
        'components/code/',
        'components/deployment/',
        'components/environment/',
        'components/page/',
      ],
      ['components/form/', 'components/table/'],
      ['components/dialog/', 'components/display/'],
      ['components/display/buttons/', 'components/display/labels/', 'components/display/menu/'],
      ['stores/board/', 'stores/comparison/', 'stores/deployment-detail/', 'stores/repositories/'],
      ['stores/deployment-list/'],
      ['stores/annotations/', 'stores/creation/', 'stores/overview/', 'stores/watches/'],
      ['stores/application/'],
      ['composables/'],
      ['api/', 'theme/'],
      // Below what needs Vue or the bridge: rules of plain values.
      ['domain/board/', 'domain/draft/', 'domain/comparison/', 'domain/list/', 'domain/commands/'],
      ['domain/text/', 'format/'],
    ],
  },
]

/** Folders in which every file must belong to a process. */
export const boundedFolders = ['electron', 'src']

/**
 * @typedef {object} Restricted
 * @property {string} what is allowed in one place alone, for people
 * @property {string | null} owner the folder or file where it is allowed; null where nothing needs it
 * @property {readonly string[]} watched folders where it is forbidden
 * @property {readonly string[]} [exports] of the electron module
 * @property {readonly string[]} [members] properties of any object, also when destructured
 * @property {readonly string[]} [globals]
 * @property {readonly string[]} [modules]
 */

/** @type {readonly Restricted[]} */
export const restricted = [
  {
    what: 'IPC is registered',
    owner: 'electron/main/ipc',
    watched: ['electron', 'src'],
    exports: ['ipcMain'],
  },
  {
    what: 'HTTP leaves',
    owner: 'electron/main/http',
    watched: ['electron/main', 'electron/preload', 'electron/contract', 'electron/keychain'],
    exports: ['net'],
    members: ['fetch'],
    globals: ['fetch'],
    modules: ['node:http', 'node:https', 'node:http2', 'http', 'https', 'http2', 'undici'],
  },
  {
    what: 'HTTP leaves',
    owner: 'electron/main/http',
    watched: ['src'],
    globals: ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'],
  },
  {
    what: 'The keychain is opened',
    owner: 'electron/keychain',
    watched: ['electron', 'src', 'test'],
    modules: ['keytar'],
  },
  {
    what: 'External links are opened',
    owner: 'electron/main/window/links/index.ts',
    watched: ['electron', 'src'],
    members: ['openExternal'],
  },
  {
    what: 'Vue is used by rules',
    owner: null,
    watched: ['src/domain'],
    modules: ['vue', 'vue-router', 'pinia', 'naive-ui'],
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
 * The boundary that a path is in: the innermost.
 *
 * @param {string} path relative to the project, with slashes
 * @returns {Boundary | undefined}
 */
export function boundaryOf(path) {
  return boundaries
    .filter(({ folder }) => isInside(path, folder))
    .sort((one, other) => other.folder.length - one.folder.length)[0]
}

/**
 * @typedef {object} Place
 * @property {string} layer its entry in the table
 * @property {number} depth 0 at the top
 */

/**
 * Where a file or folder stands in the layers of its process: the longest entry that names it or a folder around it.
 *
 * @param {string} path relative to the project; the extension and "/index" may be left out, as imports do
 * @param {Boundary} boundary
 * @returns {Place | null} null where no entry has it
 */
export function placeOf(path, { folder, layers = [] }) {
  const inside = path.slice(folder.length + 1)
  const bare = withoutExtension(inside)
  /** @type {Place[]} */
  const places = layers.flatMap((entries, depth) => entries.map((layer) => ({ layer, depth })))
  const named = places
    .filter(({ layer }) =>
      layer.endsWith('/') ? isInside(bare, layer.slice(0, -1)) : withoutExtension(layer) === bare,
    )
    .sort((one, other) => other.layer.length - one.layer.length)[0]
  return named ?? (bare.includes('/') ? null : (places.find(({ layer }) => layer === '*') ?? null))
}

/** @param {string} path */
const withoutExtension = (path) => path.replace(/(?:\.d)?\.(?:ts|mjs|cjs|js|vue)$/, '')

/**
 * The folder of a boundary's `apart` that a path is in; null outside of all of them.
 *
 * @param {string} path relative to the project
 * @param {Boundary} boundary
 */
export function apartOf(path, { folder, apart }) {
  const around = `${folder}/${apart}/`
  return apart && path.startsWith(around) ? (path.slice(around.length).split('/')[0] ?? null) : null
}
