import { expect, it } from 'vitest'
import { errorCode } from '../../../../../electron/main/files/error-code'

it('is the code of the file system, or says that there is none', () => {
  expect(errorCode(Object.assign(new Error('Full.'), { code: 'ENOSPC' }))).toBe('ENOSPC')
  expect(errorCode(new Error('Other.'))).toBe('unknown error')
  expect(errorCode(null)).toBe('unknown error')
})
