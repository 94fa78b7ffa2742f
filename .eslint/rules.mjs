import { isBuiltin } from 'node:module'
import { posix, relative, sep } from 'node:path'
import { apartOf, boundaryOf, boundedFolders, isInside, placeOf, restricted } from './boundaries.mjs'

/** Import aliases, as in tsconfig.json. */
const aliases = [
  { prefix: '@contract', folder: 'electron/contract' },
  { prefix: '@domain', folder: 'electron/domain' },
  { prefix: '@', folder: 'src' },
]

/**
 * Where an import leads.
 *
 * @param {string} specifier as written
 * @param {string} importer path of the importing file, relative to the project
 * @returns {{ path: string } | { package: string }} "node" for Node's own modules
 */
export function resolveImport(specifier, importer) {
  const plain = specifier.replace(/\?.*$/, '')
  if (plain.startsWith('.')) return { path: posix.join(posix.dirname(importer), plain) }
  for (const { prefix, folder } of aliases) {
    if (isInside(plain, prefix)) return { path: folder + plain.slice(prefix.length) }
  }
  if (isBuiltin(plain)) return { package: 'node' }
  const parts = plain.split('/')
  return { package: parts.slice(0, plain.startsWith('@') ? 2 : 1).join('/') }
}

/**
 * The path of the linted file, relative to the project.
 *
 * @param {import('eslint').Rule.RuleContext} context
 */
const pathOf = (context) => relative(context.cwd, context.filename).split(sep).join('/')

/**
 * What a rule says about itself.
 *
 * @param {string} description
 * @param {Record<string, string>} messages
 * @returns {import('eslint').Rule.RuleMetaData}
 */
const problem = (description, messages) => ({
  type: 'problem',
  docs: { description: `${description} (see boundaries.mjs).` },
  schema: [],
  messages,
})

/**
 * Reports that the tables have no place for the linted file, as `unknown`.
 *
 * @param {import('eslint').Rule.RuleContext} context
 * @param {string} path of the file
 * @returns {import('eslint').Rule.RuleListener}
 */
const reportUnknown = (context, path) => ({
  Program: (node) => context.report({ node, messageId: 'unknown', data: { path } }),
})

/**
 * Calls back for everything that imports a module by its name: declarations, re-exports, import(), require() in
 * CommonJS files and import types.
 *
 * @param {string} path of the file
 * @param {(node: import('eslint').Rule.Node, specifier: string, onlyTypes: boolean) => void} callBack
 * @returns {import('eslint').Rule.RuleListener}
 */
function importsOf(path, callBack) {
  /**
   * @param {import('eslint').Rule.Node} node
   * @param {unknown} specifier a name, unless it is computed
   * @param {boolean} onlyTypes
   */
  const found = (node, specifier, onlyTypes) => {
    if (typeof specifier === 'string') callBack(node, specifier, onlyTypes)
  }
  /** @param {any} node */
  const declaration = (node) => {
    if (!node.source) return
    const kind = node.importKind ?? node.exportKind
    const specifiers = node.specifiers ?? []
    const allTypes =
      specifiers.length > 0 &&
      specifiers.every((/** @type {any} */ one) => (one.importKind ?? one.exportKind) === 'type')
    found(node, node.source.value, kind === 'type' || allTypes)
  }
  return {
    ImportDeclaration: declaration,
    ExportNamedDeclaration: declaration,
    ExportAllDeclaration: declaration,
    ImportExpression: (/** @type {any} */ node) => found(node, node.source.value, false),
    TSImportType: (/** @type {any} */ node) =>
      found(node, node.source?.value ?? node.argument?.literal?.value, true),
    // In other files typescript-eslint forbids require().
    'CallExpression[callee.name="require"]': (/** @type {any} */ node) => {
      if (path.endsWith('.cjs')) found(node, node.arguments[0]?.value, false)
    },
  }
}

/** @type {import('eslint').Rule.RuleModule} */
const boundariesRule = {
  meta: problem('A file imports only what its process may import', {
    forbidden: '{{from}} may not import {{to}}: only {{allowed}}.',
    onlyTypes: '{{from}} may import only types of {{to}}.',
    unknown: '{{path}} belongs to no process: enter its folder in .eslint/boundaries.mjs.',
  }),
  create(context) {
    const path = pathOf(context)
    const boundary = boundaryOf(path)
    if (!boundary) {
      const isBounded = boundedFolders.some((folder) => isInside(path, folder))
      return isBounded ? reportUnknown(context, path) : {}
    }
    const allowed = [
      ...boundary.folders,
      ...(boundary.typesOf ?? []).map((name) => `types of ${name}`),
      ...boundary.packages,
    ]
    return importsOf(path, (node, specifier, onlyTypes) => {
      const target = resolveImport(specifier, path)
      const to = 'package' in target ? target.package : (boundaryOf(target.path)?.folder ?? target.path)
      const data = { from: boundary.folder, to, allowed: allowed.join(', ') }
      if ('package' in target) {
        if (!boundary.packages.includes(to)) context.report({ node, messageId: 'forbidden', data })
        return
      }
      if (to === boundary.folder || boundary.folders.some((folder) => isInside(target.path, folder))) return
      if (boundary.typesOf?.includes(to)) {
        if (!onlyTypes) context.report({ node, messageId: 'onlyTypes', data })
        return
      }
      context.report({ node, messageId: 'forbidden', data })
    })
  },
}

/** @type {import('eslint').Rule.RuleModule} */
const layersRule = {
  meta: problem('Inside a process, imports go down its layers', {
    up: '{{from}} may not import {{to}}: it is not below it.',
    apart: '{{from}} may not import {{to}}: each is for itself.',
    unknown: '{{path}} is in no layer: enter its folder in .eslint/boundaries.mjs.',
  }),
  create(context) {
    const path = pathOf(context)
    const boundary = boundaryOf(path)
    if (!boundary?.layers) return {}
    const from = placeOf(path, boundary)
    if (!from) return reportUnknown(context, path)
    return importsOf(path, (node, specifier) => {
      const target = resolveImport(specifier, path)
      if ('package' in target || boundaryOf(target.path)?.folder !== boundary.folder) return
      const [own, other] = [apartOf(path, boundary), apartOf(target.path, boundary)]
      if (own !== null && other !== null && own !== other) {
        context.report({ node, messageId: 'apart', data: { from: own, to: other } })
        return
      }
      const to = placeOf(target.path, boundary)
      if (to && (to.layer === from.layer || to.depth > from.depth)) return
      const data = { from: from.layer, to: to?.layer ?? target.path }
      context.report({ node, messageId: 'up', data })
    })
  },
}

/** @type {import('eslint').Rule.RuleModule} */
const restrictedRule = {
  meta: problem('What is dangerous is allowed in one place', {
    elsewhere: '{{what}} only in {{owner}}; {{name}} is not for here.',
    nowhere: '{{what}} nowhere; {{name}} is not for here.',
  }),
  create(context) {
    const path = pathOf(context)
    const forbidden = restricted.filter(
      ({ owner, watched }) =>
        (owner === null || !isInside(path, owner)) && watched.some((folder) => isInside(path, folder)),
    )
    if (forbidden.length === 0) return {}

    /**
     * @param {any} node
     * @param {unknown} name
     * @param {'exports' | 'members' | 'globals' | 'modules'} kind
     */
    const check = (node, name, kind) => {
      const hit = forbidden.find((entry) => entry[kind]?.some((one) => one === name))
      if (hit) {
        const data = { what: hit.what, owner: hit.owner, name: String(name) }
        context.report({ node, messageId: hit.owner === null ? 'nowhere' : 'elsewhere', data })
      }
    }
    return {
      ...importsOf(path, (node, specifier) => check(node, specifier, 'modules')),
      ImportSpecifier: (/** @type {any} */ node) => {
        if (node.parent.source.value === 'electron') check(node, node.imported.name, 'exports')
      },
      MemberExpression: (/** @type {any} */ node) => {
        const name = node.computed ? node.property.value : node.property.name
        check(node, name, 'members')
        if (node.object.name === 'electron') check(node, name, 'exports')
        if (['window', 'globalThis', 'self'].includes(node.object.name)) check(node, name, 'globals')
      },
      'ObjectPattern > Property': (/** @type {any} */ node) => {
        check(node, node.key.name ?? node.key.value, 'members')
      },
      'Program:exit': () => {
        for (const { identifier } of context.sourceCode.scopeManager?.globalScope?.through ?? []) {
          check(identifier, identifier.name, 'globals')
        }
      },
    }
  },
}

/** The project's own rules, for ESLint: "slipway/boundaries", "slipway/layers" and "slipway/restricted". */
export const slipway = {
  rules: { boundaries: boundariesRule, layers: layersRule, restricted: restrictedRule },
}
