import { ESLint } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, expect, it } from 'vitest'
import { slipway } from './rules.mjs'

const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ['**/*.{ts,mjs,cjs}'],
      languageOptions: { parser: tseslint.parser },
      plugins: { slipway },
      rules: { 'slipway/walls': 'error', 'slipway/one-door': 'error' },
    },
  ],
})

/** The messages of the project's own rules about code that would stand in a file. */
async function complaints(filePath: string, code: string): Promise<string[]> {
  const results = await eslint.lintText(code, { filePath })
  return results.flatMap(({ messages }) => messages.map(({ message }) => message))
}

describe('walls between the rooms', () => {
  it.each([
    ['src/screens/deployments/list.ts', `import { ipcRenderer } from 'electron'`],
    ['src/stores/app.ts', `import { readFile } from 'node:fs/promises'`],
    ['src/stores/app.ts', `import { client } from '../../electron/main/http/client'`],
    ['src/stores/app.ts', `export * from '../../electron/main/http/client'`],
    ['src/stores/app.ts', `const fs = await import('fs')`],
    ['src/stores/app.ts', `type Client = import('../../electron/main/http/port').HttpClient`],
    ['electron/contract/index.ts', `import { app } from 'electron'`],
    ['electron/main/ipc/index.ts', `import { store } from '@/stores/app'`],
    ['electron/main/index.ts', `import { createService } from '../service/index'`],
    ['electron/service/index.ts', `import { app } from 'electron'`],
    ['electron/launcher/start.mjs', `import { z } from 'zod'`],
    ['electron/launcher/dev.mjs', `import { createServer } from 'vite'`],
    ['electron/launcher/engine/trial-engine-app/main.cjs', `require('hono')`],
    ['electron/preload/index.ts', `import { deploymentSchema } from '@contract'`],
  ])('%s may not: %s', async (path, code) => {
    const found = await complaints(path, code)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/may not import|may import only types/)
  })

  it.each([
    [
      'src/stores/app.ts',
      `import { ref } from 'vue'; import { deploymentSchema } from '@contract'; import '@/theme'`,
    ],
    [
      'electron/main/index.ts',
      `import { app } from 'electron'; import '@contract/ipc/names'; import './http/client'`,
    ],
    [
      'electron/preload/index.ts',
      `import type { Bridge } from '@contract'; import { callNames } from '@contract/ipc/names'`,
    ],
    ['electron/launcher/start.mjs', `import { spawn } from 'node:child_process'; import './steps.mjs'`],
    [
      'electron/launcher/development/server.mjs',
      `import { createServer } from 'vite'; import '../places.mjs'`,
    ],
    ['test/unit/any.test.ts', `import { app } from 'electron'; import '../../src/main'`],
  ])('%s may: %s', async (path, code) => {
    expect(await complaints(path, code)).toEqual([])
  })

  it('has no place for a file outside the rooms', async () => {
    expect(await complaints('electron/elsewhere/index.ts', '')).toEqual([
      'electron/elsewhere/index.ts is in no room: enter its folder in .eslint/boundaries.mjs.',
    ])
  })
})

describe('one door for each danger', () => {
  it.each([
    ['electron/main/window/menu.ts', `import { ipcMain } from 'electron'`],
    ['electron/main/deployments/page.ts', `await fetch('https://example.org')`],
    [
      'electron/main/deployments/page.ts',
      `declare const session: Electron.Session; await session.fetch('x')`,
    ],
    ['electron/main/deployments/page.ts', `import { net } from 'electron'`],
    ['electron/main/deployments/page.ts', `import { request } from 'node:https'`],
    ['src/stores/app.ts', `await fetch('/x')`],
    ['src/stores/app.ts', `await window.fetch('/x')`],
    ['src/stores/app.ts', `new XMLHttpRequest()`],
    ['electron/main/window/menu.ts', `import { shell } from 'electron'; void shell.openExternal('x')`],
    ['electron/main/window/menu.ts', `import { shell } from 'electron'; const { openExternal } = shell`],
    ['test/e2e/support/any.ts', `import keytar from 'keytar'`],
  ])('%s is no door: %s', async (path, code) => {
    const found = await complaints(path, code)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/ (?:only in electron\/.*|nowhere); .* is not for here\.$/)
  })

  it.each([
    ['electron/main/ipc/index.ts', `import { ipcMain } from 'electron'`],
    ['electron/main/http/client.ts', `declare const session: Electron.Session; await session.fetch('x')`],
    ['electron/keychain/index.ts', `import keytar from 'keytar'`],
    ['src/stores/app.ts', `const store = { fetch: () => 1 }; store.fetch()`],
  ])('%s is the door: %s', async (path, code) => {
    expect(await complaints(path, code)).toEqual([])
  })
})
