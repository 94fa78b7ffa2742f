import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { startService, temporaryFolder } from '../../support/service/service-process'
import { countRows } from '../../support/service/postgres/stored-rows'
import { creation, listAll, post } from '../../support/service/client'

const data = temporaryFolder()
afterAll(() => rmSync(data, { recursive: true, force: true }))

const rounds = 4
const atOnce = 6

it('loses no answered creation if it is killed during many', async () => {
  const answered = new Map<string, DeploymentAnswer>()
  const sentNames: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const service = await startService({ data, provisionMs: 20 })
    let down = false
    let noteAnswer = (): void => undefined
    const firstAnswer = new Promise<void>((resolve) => (noteAnswer = resolve))
    const createUntilDown = async (): Promise<void> => {
      while (!down) {
        const wanted = creation('repohost')
        sentNames.push(wanted.name)
        try {
          const { status, body } = await post(service.url, wanted)
          expect(status).toBe(201)
          answered.set(body.name, body)
          noteAnswer()
        } catch (error) {
          if (!down) throw error
        }
      }
    }
    const work = Array.from({ length: atOnce }, createUntilDown)
    // A race, because `work` rejects with the reason if every creation fails.
    await Promise.race([firstAnswer, Promise.all(work)])
    // A pause, because a kill at an answer would always hit the same moment between two commits.
    await pause(40 + round * 50)
    down = true
    await service.kill()
    await Promise.all(work)
  }
  expect(answered.size).toBeGreaterThan(rounds)

  const service = await startService({ data, provisionMs: 0 })
  const listed = new Map((await listAll(service.url)).map((deployment) => [deployment.name, deployment]))
  for (const [name, body] of answered) {
    expect(listed.get(name)).toMatchObject({
      id: body.id,
      latest_revision_id: body.latest_revision_id,
      status: 'READY',
    })
  }
  for (const name of listed.keys()) expect(sentNames).toContain(name)
  // A creation that was neither answered nor stored left nothing behind: its name is free.
  const lost = sentNames.filter((name) => !listed.has(name))
  for (const name of lost) expect((await post(service.url, creation('repohost', { name }))).status).toBe(201)
  await service.stop()
  const total = listed.size + lost.length
  expect(await countRows(data)).toMatchObject({
    deployments: total,
    tracingProjects: total,
    withProject: total,
    withRevision: total,
  })
})

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
