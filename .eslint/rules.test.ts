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
      rules: {
        'slipway/boundaries': 'error',
        'slipway/layers': 'error',
        'slipway/restricted': 'error',
      },
    },
  ],
})

/** The messages of the project's own rules about code in a file of this path. */
async function complaints(filePath: string, code: string): Promise<string[]> {
  const results = await eslint.lintText(code, { filePath })
  return results.flatMap(({ messages }) => messages.map(({ message }) => message))
}

/** Tests that a file at each path may contain the code. */
function accepts(title: string, cases: [filePath: string, code: string][]): void {
  it.each(cases)(title, async (filePath, code) => {
    expect(await complaints(filePath, code)).toEqual([])
  })
}

describe('boundaries between processes', () => {
  it.each([
    ['src/screens/deployments/list.ts', `import { ipcRenderer } from 'electron'`],
    ['src/stores/application/app.ts', `import { readFile } from 'node:fs/promises'`],
    ['src/stores/application/app.ts', `import { client } from '../../../electron/main/http/client'`],
    ['src/stores/application/app.ts', `export * from '../../../electron/main/http/client'`],
    ['src/stores/application/app.ts', `const fs = await import('fs')`],
    ['src/stores/application/app.ts', `type Client = import('../../../electron/main/http/types').HttpClient`],
    ['electron/contract/index.ts', `import { app } from 'electron'`],
    ['electron/main/ipc/index.ts', `import { store } from '@/stores/application/app'`],
    ['electron/main/index.ts', `import { createService } from '../service/index'`],
    ['electron/service/index.ts', `import { app } from 'electron'`],
    ['electron/launcher/commands/start.mjs', `import { z } from 'zod'`],
    ['electron/launcher/commands/dev.mjs', `import { createServer } from 'vite'`],
    ['electron/launcher/engine/trial-engine-app/main.cjs', `require('hono')`],
    ['electron/preload/index.ts', `import { deploymentSchema } from '@contract'`],
  ])('%s may not: %s', async (path, code) => {
    const found = await complaints(path, code)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/may not import|may import only types/)
  })

  accepts('%s may: %s', [
    [
      'src/stores/application/app.ts',
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
    [
      'electron/launcher/commands/start.mjs',
      `import { spawn } from 'node:child_process'; import '../base/progress.mjs'`,
    ],
    [
      'electron/launcher/development/server.mjs',
      `import { createServer } from 'vite'; import '../base/paths.mjs'`,
    ],
    ['test/unit/any.test.ts', `import { app } from 'electron'; import '../../src/main'`],
  ])

  it('has no place for a file outside of them', async () => {
    expect(await complaints('electron/elsewhere/index.ts', '')).toEqual([
      'electron/elsewhere/index.ts belongs to no process: enter its folder in .eslint/boundaries.mjs.',
    ])
  })
})

describe('layers inside a process', () => {
  it.each([
    ['electron/main/http/client.ts', `import { createDeployments } from '../deployments'`],
    ['electron/main/log/log.ts', `import type { Environments } from '../environments/types'`],
    ['electron/main/http/trust/index.ts', `import { exchange } from '../exchange'`],
    [
      'electron/main/features/sync/engine.ts',
      `import { match } from '../deployments/attempts/match-attempt'`,
    ],
    ['electron/contract/core/failure.ts', `import { deploymentSchema } from '@contract'`],
    ['electron/service/database/store.ts', `import { routes } from '../routes/deployments'`],
    ['src/stores/application/app.ts', `import { router } from '@/router'`],
    ['src/stores/application/app.ts', `import { announce } from '../../components/display/announce'`],
    ['src/domain/list/reread.ts', `import { announce } from '@/composables/announcer'`],
    ['src/domain/text/json.ts', `import { call } from '@/api'`],
    ['src/components/page/title.ts', `const screen = await import('@/screens/activity/ActivityScreen.vue')`],
  ])('%s may not: %s', async (path, code) => {
    expect(await complaints(path, code)).toEqual([expect.stringMatching(/may not import .* not below it/)])
  })

  it.each([
    [
      'src/screens/activity/ActivityRow.ts',
      `import Table from '@/screens/deployments/table/DeploymentsTable.vue'`,
    ],
    ['src/screens/deployment/sections/x.ts', `import { x } from '../../repositories/x'`],
  ])('%s may not: %s', async (path, code) => {
    expect(await complaints(path, code)).toEqual([
      expect.stringMatching(/may not import .*: each is for itself/),
    ])
  })

  accepts('%s may: %s', [
    ['src/screens/deployments/Head.ts', `import { x } from './table/x'`],
    ['electron/main/application.ts', `import { createHttpClient } from './http'`],
    ['electron/main/http/client.ts', `import { exchange } from './exchange'; import './retry'`],
    ['electron/main/index.ts', `await import('./application')`],
    ['electron/launcher/commands/start.mjs', `import '../application.mjs'; import '../base/paths.mjs'`],
    ['src/router.ts', `import Screen from '@/screens/deployments/DeploymentsScreen.vue'`],
    ['src/screens/deployments/list.ts', `import { useAppStore } from '@/stores/application/app'`],
  ])

  it('has no place for a folder that no layer names', async () => {
    expect(await complaints('electron/main/elsewhere/index.ts', '')).toEqual([
      'electron/main/elsewhere/index.ts is in no layer: enter its folder in .eslint/boundaries.mjs.',
    ])
  })
})

describe('what is dangerous has one place', () => {
  it.each([
    ['electron/main/window/menu/index.ts', `import { ipcMain } from 'electron'`],
    ['electron/main/features/deployments/page.ts', `await fetch('https://example.org')`],
    [
      'electron/main/features/deployments/page.ts',
      `declare const session: Electron.Session; await session.fetch('x')`,
    ],
    ['electron/main/features/deployments/page.ts', `import { net } from 'electron'`],
    ['electron/main/features/deployments/page.ts', `import { request } from 'node:https'`],
    ['src/stores/application/app.ts', `await fetch('/x')`],
    ['src/stores/application/app.ts', `await window.fetch('/x')`],
    ['src/stores/application/app.ts', `new XMLHttpRequest()`],
    ['electron/main/window/menu/index.ts', `import { shell } from 'electron'; void shell.openExternal('x')`],
    [
      'electron/main/window/menu/index.ts',
      `import { shell } from 'electron'; const { openExternal } = shell`,
    ],
    ['test/e2e/support/any.ts', `import keytar from 'keytar'`],
    ['src/domain/draft/draft.ts', `import { ref } from 'vue'`],
  ])('%s is not the place: %s', async (path, code) => {
    const found = await complaints(path, code)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/ (?:only in electron\/.*|nowhere); .* is not for here\.$/)
  })

  accepts('%s is the place: %s', [
    ['electron/main/ipc/index.ts', `import { ipcMain } from 'electron'`],
    ['electron/main/http/client.ts', `declare const session: Electron.Session; await session.fetch('x')`],
    ['electron/keychain/index.ts', `import keytar from 'keytar'`],
    ['src/stores/application/app.ts', `const store = { fetch: () => 1 }; store.fetch()`],
  ])
})
