import { isBuiltin } from 'node:module'
import { posix, relative, sep } from 'node:path'
import { doors, isInside, roomOf, walledFolders } from './boundaries.mjs'

/** Import aliases, as in tsconfig.json. */
const aliases = [
  { prefix: '@contract', folder: 'electron/contract' },
  { prefix: '@', folder: 'src' },
]

/**
 * Where an import leads.
 *
 * @param {string} specifier as written
 * @param {string} importer path of the importing file, relative to the project
 * @returns {{ path: string } | { package: string }} "node" for Node's own modules
 */
function resolveImport(specifier, importer) {
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
 * Calls back for everything that imports a module: declarations, re-exports, import(), require() in
 * CommonJS files and import types.
 *
 * @param {string} path of the file
 * @param {(node: import('eslint').Rule.Node, specifier: unknown, onlyTypes: boolean) => void} found
 * @returns {import('eslint').Rule.RuleListener}
 */
function importsOf(path, found) {
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
const walls = {
  meta: {
    type: 'problem',
    docs: { description: 'A file imports only what its room may import (see rooms.mjs).' },
    schema: [],
    messages: {
      room: '{{from}} may not import {{to}}: only {{allowed}}.',
      onlyTypes: '{{from}} may import only types of {{to}}.',
      noRoom: '{{path}} is in no room: enter its folder in .eslint/boundaries.mjs.',
    },
  },
  create(context) {
    const path = pathOf(context)
    const room = roomOf(path)
    if (!room) {
      if (!walledFolders.some((folder) => isInside(path, folder))) return {}
      return { Program: (node) => context.report({ node, messageId: 'noRoom', data: { path } }) }
    }
    const allowed = [
      ...room.rooms,
      ...(room.typesOf ?? []).map((name) => `types of ${name}`),
      ...room.packages,
    ]
    return importsOf(path, (node, specifier, onlyTypes) => {
      if (typeof specifier !== 'string') return
      const target = resolveImport(specifier, path)
      const to = 'package' in target ? target.package : (roomOf(target.path)?.folder ?? target.path)
      const data = { from: room.folder, to, allowed: allowed.join(', ') }
      if ('package' in target) {
        if (!room.packages.includes(to)) context.report({ node, messageId: 'room', data })
        return
      }
      if (to === room.folder || room.rooms.some((folder) => isInside(target.path, folder))) return
      if (room.typesOf?.includes(to)) {
        if (!onlyTypes) context.report({ node, messageId: 'onlyTypes', data })
        return
      }
      context.report({ node, messageId: 'room', data })
    })
  },
}

/** @type {import('eslint').Rule.RuleModule} */
const oneDoor = {
  meta: {
    type: 'problem',
    docs: { description: 'Each danger has one door (see rooms.mjs).' },
    schema: [],
    messages: {
      door: '{{danger}} only in {{door}}; {{name}} is not for here.',
      nowhere: '{{danger}} nowhere; {{name}} is not for here.',
    },
  },
  create(context) {
    const path = pathOf(context)
    const closed = doors.filter(
      ({ door, watched }) =>
        (door === null || !isInside(path, door)) && watched.some((folder) => isInside(path, folder)),
    )
    if (closed.length === 0) return {}

    /**
     * @param {any} node
     * @param {unknown} name
     * @param {'exports' | 'members' | 'globals' | 'modules'} kind
     */
    const check = (node, name, kind) => {
      const hit = closed.find((door) => door[kind]?.some((forbidden) => forbidden === name))
      if (hit) {
        const data = { danger: hit.danger, door: hit.door, name: String(name) }
        context.report({ node, messageId: hit.door === null ? 'nowhere' : 'door', data })
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

/** The project's own rules, for ESLint: "slipway/walls" and "slipway/one-door". */
export const slipway = { rules: { walls, 'one-door': oneDoor } }
