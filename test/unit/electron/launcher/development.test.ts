import { resolveConfig } from 'electron-vite'
import { build, type InlineConfig, mergeConfig, type Rolldown } from 'vite'
import { expect, it, vi } from 'vitest'
import { configurations } from '../../../../electron/launcher/development'
import { projectFolder } from '../../../../electron/launcher/base.mjs'

const port = 54321

/** The code of a build, and the project's files in it; nothing is written. */
async function buildOf(config: InlineConfig): Promise<{ code: string; files: string[] }> {
  const output = (await build(
    mergeConfig(config, { logLevel: 'silent', build: { write: false } }),
  )) as Rolldown.RolldownOutput
  const chunks = output.output.filter((one) => one.type === 'chunk')
  return {
    code: chunks.map(({ code }) => code).join('\n'),
    files: chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => id.replaceAll('\\', '/')),
  }
}

/** Where the code lets the page connect, by its policy and past the dead proxy. */
function rules(code: string): string[] {
  const found = code.matchAll(/connect-src [^"`]*|<-loopback>[^"`]*/g)
  return [...new Set(Array.from(found, ([text]) => text))].sort()
}

it('leaves the development server, and what is looser for it, out of every other build', async () => {
  vi.stubEnv('DEV_SERVER_PORT', String(port))
  vi.stubEnv('ELECTRON_RENDERER_URL', `http://127.0.0.1:${port}`)
  const ordinary = await resolveConfig({ root: projectFolder, logLevel: 'silent' }, 'build', 'production')
  const built = await buildOf(ordinary.config!.main!)
  const { main } = await configurations(port)
  const forDevelopment = await buildOf(main)
  vi.unstubAllEnvs()

  const file = 'electron/main/window/page/dev-server.ts'
  expect(forDevelopment.files.filter((path) => path.endsWith(file))).toHaveLength(1)
  expect(rules(forDevelopment.code)).toContainEqual(expect.stringMatching(/^connect-src ws:/))
  expect(rules(forDevelopment.code)).toContainEqual(expect.stringMatching(/^<-loopback>;127/))

  expect(built.files.filter((path) => path.endsWith(file))).toEqual([])
  expect(rules(built.code)).toEqual(['<-loopback>', "connect-src 'none'"])
  expect(built.code).not.toMatch(
    new RegExp(`${port}|DEV_SERVER|ELECTRON_RENDERER_URL|askDevServer|loopback-network`),
  )
})
