import { expect, it } from 'vitest'
import { deploymentService } from '../../../../../../electron/main/features/deployments/failure-advice'

const { adviceFor, memberNames } = deploymentService

it('names the missing header if the service requires a workspace', () => {
  expect(adviceFor(403, 'This operation requires workspace specification.')).toContain('X-Tenant-Id')
  expect(adviceFor(403, 'Not yours.')).toBeNull()
})

it('has advice for a name that is taken and for a request that is too large', () => {
  expect(adviceFor(409, '')).toContain('tracing project')
  expect(adviceFor(413, '')).toContain('resource spec')
  expect(adviceFor(404, '')).toBeNull()
})

it('knows the members of a creation and the parameters of the list', () => {
  expect([...memberNames]).toEqual(expect.arrayContaining(['name', 'secrets', 'source_config', 'limit']))
})
