// What each process may import, and inside a process, what is above a folder. These are tables for ESLint's own rules
// about imports, globals and properties. Their expressions meet the text of an import, where @contract and @domain are
// electron/contract and electron/domain, and @ is src.

const processes = ['cache', 'contract', 'domain', 'launcher', 'main', 'preload', 'service']

/** @param {readonly string[]} names */
const anyOf = (names) => `(?:${names.join('|')})`

/**
 * A process imports the named other folders of electron, and the named npm packages.
 *
 * @param {string} folder
 * @param {readonly string[]} folders
 * @param {readonly string[]} packages expressions; "node" stands for Node's own modules
 */
function only(folder, folders, packages) {
  const own = folder.replace('electron/', '')
  // The contract has a folder "cache" of its own.
  const ownFolders = own === 'contract' ? ['cache'] : []
  const others = processes.filter((name) => ![own, ...folders, ...ownFolders].includes(name))
  // The main process knows what it can ask the store process.
  const open = own === 'main' ? '(?!cache/protocol$)' : ''
  const names = packages.map((name) => (name === 'node' ? 'node:.+' : name))
  const aliases = ['contract', 'domain'].filter((name) => !others.includes(name)).map((name) => `@${name}`)
  return {
    folder,
    imports: [
      {
        regex: `^(?:\\.\\./)+(?:electron/)?${open}${anyOf(others)}(?:/|$)`,
        message: `${folder} may not import this process.`,
      },
      {
        regex: `^(?!\\.|@/|${anyOf([...aliases, ...names])}(?:[/?]|$))`,
        message: `${folder} may import only: ${[...aliases, ...packages].join(', ')}.`,
      },
    ],
  }
}

/**
 * Folders don't import what is above them in their process.
 *
 * @param {string} parent
 * @param {readonly string[]} folders
 * @param {readonly string[]} above
 */
const below = (parent, folders, above) =>
  folders.map((folder) => ({
    folder: `${parent}/${folder}`,
    imports: [
      {
        regex: `^(?:@|(?:\\.\\./)*\\.\\.)/${anyOf(above)}(?:/|$)`,
        message: `${parent}/${folder} is below ${above.join(', ')}.`,
      },
    ],
  }))

/**
 * The features that a feature of the page uses.
 *
 * @type {Record<string, readonly string[]>}
 */
const features = {
  activity: ['new-deployment'],
  board: ['deployment', 'list'],
  compare: ['deployment', 'list', 'new-deployment'],
  deployment: ['activity', 'compare', 'environments', 'list', 'new-deployment', 'watches'],
  environments: [],
  list: ['compare', 'deployment', 'environments', 'watches'],
  'new-deployment': ['activity', 'repositories'],
  overview: ['activity', 'deployment', 'list'],
  palette: ['board', 'compare', 'list'],
  repositories: ['list', 'new-deployment'],
  watches: [],
}

/**
 * @typedef {object} Entry what is forbidden in a folder
 * @property {string} folder
 * @property {readonly string[]} [except] folders in it where it is allowed
 * @property {readonly { regex: string, importNames?: string[], message: string }[]} [imports]
 * @property {readonly string[]} [globals]
 * @property {readonly string[]} [properties] of any object
 */

/** @type {readonly Entry[]} */
const table = [
  only('electron/contract', [], ['zod']),
  only('electron/domain', ['contract'], []),
  only(
    'electron/main',
    ['contract', 'domain'],
    ['electron', 'csv-stringify', 'electron-log', 'fflate', 'node', 'zod'],
  ),
  only('electron/preload', ['contract'], ['electron']),
  only('electron/cache', ['contract', 'domain'], ['keytar', 'libsql', 'node']),
  only(
    'electron/service',
    ['contract'],
    [
      ...['commander', 'hono', '@hono/.+', 'ipaddr.js', 'kysely', 'libsql', 'pg'],
      ...['pino', 'prom-client', 'proxy-addr', 'node'],
    ],
  ),
  only(
    'src',
    ['contract', 'domain'],
    [
      'vue',
      'vue-router',
      'pinia',
      'naive-ui',
      '@lucide/vue',
      '@tanstack/vue-virtual',
      '@vueuse/core',
      'reka-ui',
      'd3-.+',
      'virtual:uno.css',
      // The build reads its configuration in src/app/theme.
      '@unocss/.+',
      'jsonc-parser',
      'yaml',
      '@codemirror/.+',
      '@lezer/.+',
    ],
  ),

  ...below(
    'electron/main',
    ['environments', 'http', 'stored', 'processes', 'window', 'files', 'log'],
    ['application', 'features', 'ipc'],
  ),
  ...below('electron/main', ['http', 'window', 'files', 'log'], ['environments', 'stored']),
  // The page: ui/format, then app, ui, features, and app/shell, which puts the features together.
  {
    folder: 'src/app',
    except: ['src/app/shell'],
    imports: [
      {
        regex: '^(?:@/(?:features|app/shell|ui/(?!format/))|\\.\\.?/shell/)',
        message: 'src/app, without its shell, is below src/ui and src/features.',
      },
    ],
  },
  {
    folder: 'src/ui',
    imports: [{ regex: '^@/(?:features|app/shell)/', message: 'src/ui is below src/features.' }],
  },
  {
    folder: 'src/ui/format',
    imports: [{ regex: '^(?:@/|\\.\\./)', message: 'src/ui/format is below the rest of src.' }],
  },
  {
    folder: 'src/features',
    imports: [{ regex: '^@/app/shell/', message: 'src/features is below src/app/shell.' }],
  },
  ...Object.entries(features).map(([name, others]) => ({
    folder: `src/features/${name}`,
    imports: [
      {
        regex: `^@/features/(?!${anyOf([name, ...others])}/)`,
        message: `Of the features, ${name} may import: ${others.join(', ') || 'none'}.`,
      },
    ],
  })),

  // Each danger has one place.
  {
    folder: 'electron/main',
    except: ['electron/main/ipc'],
    imports: [
      { regex: '^electron$', importNames: ['ipcMain'], message: 'IPC is registered in electron/main/ipc.' },
    ],
  },
  {
    folder: 'electron/main',
    except: ['electron/main/http'],
    imports: [
      { regex: '^electron$', importNames: ['net'], message: 'HTTP leaves from electron/main/http.' },
      { regex: '^node:https?2?$', message: 'HTTP leaves from electron/main/http.' },
    ],
    globals: ['fetch'],
    properties: ['fetch'],
  },
  { folder: 'electron/main', except: ['electron/main/window/links'], properties: ['openExternal'] },
  { folder: 'src', globals: ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'] },
  // Rules of plain values.
  {
    folder: 'src/features/new-deployment/draft',
    imports: [{ regex: '^(?:vue|pinia|naive-ui)', message: 'This folder has rules without Vue.' }],
  },
]

/** @param {string} path @param {string} folder */
const isInside = (path, folder) => path === folder || path.startsWith(`${folder}/`)

/**
 * ESLint's configuration of the table: for each folder, what its entries and those of folders around it forbid.
 *
 * @type {import('eslint').Linter.Config[]}
 */
export const boundaries = [...new Set(table.flatMap(({ folder, except = [] }) => [folder, ...except]))]
  .sort((one, other) => one.length - other.length)
  .map((path) => {
    const entries = table.filter(
      ({ folder, except = [] }) => isInside(path, folder) && !except.some((one) => isInside(path, one)),
    )
    return {
      files: [`${path}/**`],
      rules: {
        '@typescript-eslint/no-restricted-imports': [
          'error',
          { patterns: entries.flatMap(({ imports = [] }) => imports) },
        ],
        'no-restricted-globals': ['error', ...entries.flatMap(({ globals = [] }) => globals)],
        'no-restricted-properties': [
          'error',
          ...entries.flatMap(({ properties = [] }) => properties).map((property) => ({ property })),
        ],
      },
    }
  })
