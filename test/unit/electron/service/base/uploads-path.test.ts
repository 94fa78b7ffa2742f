import { expect, it } from 'vitest'
import { isUpload } from '../../../../../electron/service/base/uploads-path'

it.each([
  ['/teams/a/uploads/1/2/3?expires=1', '/teams/a', true],
  ['/uploads/1/2/3', '', true],
  ['/another/uploads/1', '/teams/a', false],
  ['/teams/a/uploads/../v2/deployments', '/teams/a', false],
  ['/uploads/1', '/teams/a', false],
])('%s below "%s" is the address of an upload: %s', (url, basePath, isOne) => {
  expect(isUpload(url, basePath)).toBe(isOne)
})
