import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { encryptedFile } from '../../../../../electron/main/files/encrypted-file'
import { encrypt, decrypt } from '../../../../../electron/main/files/encryption'
import { temporaryFolder } from '../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
const otherKey = 'cd'.repeat(32)
const text = 'a secret that nobody may read: ÄÖ€ 🚢'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

describe('encryption', () => {
  it('returns the text only with the same key and purpose', () => {
    const sealed = encrypt(text, key, 'drafts')
    expect(decrypt(sealed, key, 'drafts')).toEqual({ state: 'read', text })
    expect(decrypt(sealed, otherKey, 'drafts')).toEqual({ state: 'unreadable' })
    expect(decrypt(sealed, key, 'other')).toEqual({ state: 'unreadable' })
  })

  it('never uses a nonce twice', () => {
    const nonces = Array.from({ length: 200 }, () =>
      encrypt(text, key, 'drafts').subarray(9, 21).toString('hex'),
    )
    expect(new Set(nonces).size).toBe(nonces.length)
  })

  it('detects every changed byte and every cut', () => {
    const sealed = encrypt('short', key, 'drafts')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      expect(decrypt(changed, key, 'drafts').state, `byte ${at}`).not.toBe('read')
      expect(decrypt(sealed.subarray(0, at), key, 'drafts').state, `cut at ${at}`).toBe('unreadable')
    }
  })

  it('reports a file of a later version', () => {
    const sealed = encrypt(text, key, 'drafts')
    sealed[8] = 2
    expect(decrypt(sealed, key, 'drafts')).toEqual({ state: 'newer' })
  })
})

describe('an encrypted file', () => {
  it('is written as a whole, contains nothing unencrypted, and leaves no other file', async () => {
    const path = join(folder, 'drafts.sealed')
    const file = encryptedFile(path)
    expect(await file.read(key)).toEqual({ state: 'none' })
    await Promise.all(Array.from({ length: 10 }, (_, index) => file.write(key, `${text} ${index}`)))
    expect(await file.read(key)).toEqual({ state: 'read', text: `${text} 9` })
    expect((await readFile(path)).includes('secret')).toBe(false)
    expect(await readdir(folder)).toEqual(['drafts.sealed'])
  })

  it("that can't be read can be set aside and is kept", async () => {
    const path = join(folder, 'drafts.sealed')
    await writeFile(path, 'damaged')
    const file = encryptedFile(path)
    expect(await file.read(key)).toEqual({ state: 'unreadable' })
    const name = await file.setAside()
    expect(file.exists()).toBe(false)
    expect(await readFile(join(folder, name), 'utf8')).toBe('damaged')
  })
})
