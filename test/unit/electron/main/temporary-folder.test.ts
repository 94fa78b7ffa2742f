import { describe, expect, it } from 'vitest'
import { avoidLongTemporaryFolder } from '../../../../electron/main/temporary-folder'

describe('the folder for temporary files', () => {
  it.each(['/tmp', '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/', `/${'x'.repeat(56)}`])(
    'is left as it is: %s',
    (folder) => {
      const variables = { TMPDIR: folder }
      expect(avoidLongTemporaryFolder(variables)).toBe(false)
      expect(variables).toEqual({ TMPDIR: folder })
    },
  )

  it('is left as it is where the system chooses it', () => {
    expect(avoidLongTemporaryFolder({})).toBe(false)
  })

  it.each([`/${'x'.repeat(57)}`, `/${'ü'.repeat(29)}`])(
    'is left to the system where it is too long: %s',
    (folder) => {
      const variables = { TMPDIR: folder, HOME: '/home/someone' }
      expect(avoidLongTemporaryFolder(variables)).toBe(true)
      expect(variables).toEqual({ HOME: '/home/someone' })
    },
  )
})
