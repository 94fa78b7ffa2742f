import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  desktopEntry,
  removeDesktopEntry,
  writeDesktopEntry,
} from '../../../../../../electron/main/window/links/desktop-entry'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const program = '/opt/Slipway/slipway'

/** The value of a key, as a desktop reads it. */
function valueOf(entry: string | null, key: string): string {
  const line = (entry ?? '').split('\n').find((one) => one.startsWith(`${key}=`))
  return (line ?? '').slice(key.length + 1).replace(/\\(.)/g, '$1')
}

/** The program of an Exec key. Only a double quote, a backquote, a dollar and a backslash are escaped in it. */
function programIn(exec: string): string | undefined {
  const quoted = /^"((?:[^"`$\\]|\\["`$\\])*)" -- %u$/.exec(exec)?.[1]
  return quoted?.replace(/\\(.)/g, '$1')
}

describe('a desktop file', () => {
  it('is for links only, which it passes as an argument', () => {
    const entry = desktopEntry(program)
    expect(valueOf(entry, 'MimeType')).toBe('x-scheme-handler/slipway;')
    expect(valueOf(entry, 'Exec')).toBe(`"${program}" -- %u`)
    expect(valueOf(entry, 'TryExec')).toBe(program)
    expect(valueOf(entry, 'NoDisplay')).toBe('true')
  })

  it('names exactly the program, whatever its path has', () => {
    const part = fc.string({ unit: fc.constantFrom(...'a "\'`$\\&;#~ü '), minLength: 1 })
    fc.assert(
      fc.property(part, (name) => {
        const entry = desktopEntry(`/opt/${name}`)
        expect(programIn(valueOf(entry, 'Exec'))).toBe(`/opt/${name}`)
        expect(valueOf(entry, 'TryExec')).toBe(`/opt/${name}`)
        expect(entry?.split('\n')).toHaveLength(desktopEntry(program)!.split('\n').length)
      }),
    )
  })

  it.each(['slipway', '/opt/a=b', '/opt/100%/a', '/opt/a\nExec=evil'])('is not written for %j', (path) => {
    expect(desktopEntry(path)).toBeNull()
  })
})

describe('writing it', () => {
  const own = () => join(folder, 'home', 'applications', 'slipway.desktop')
  const variables = () => ({
    XDG_DATA_HOME: join(folder, 'home'),
    XDG_DATA_DIRS: `relative:${join(folder, 'system')}`,
  })
  const write = (path = program) => writeDesktopEntry(path, variables())

  it('happens once for a path, and again for another one', async () => {
    expect(await write()).toBe(true)
    expect(await readFile(own(), 'utf8')).toBe(desktopEntry(program))
    expect(await write()).toBe(false)
    expect(await write('/elsewhere/slipway')).toBe(true)
    expect(await readFile(own(), 'utf8')).toBe(desktopEntry('/elsewhere/slipway'))
  })

  it('stays if a profile names the user’s own folder among the system-wide ones', async () => {
    const own = { ...variables(), XDG_DATA_DIRS: variables().XDG_DATA_HOME }
    expect(await writeDesktopEntry(program, own)).toBe(true)
    expect(await writeDesktopEntry(program, own)).toBe(false)
    expect(await writeDesktopEntry('/elsewhere/slipway', own)).toBe(true)
  })

  it('is repeated at the next start if the desktop could not be notified', async () => {
    await write()
    await removeDesktopEntry(variables())
    expect(await readdir(join(folder, 'home', 'applications'))).toEqual([])
    expect(await write()).toBe(true)
  })

  it('leaves the user’s own file as it is', async () => {
    await mkdir(join(folder, 'home', 'applications'), { recursive: true })
    await writeFile(own(), '[Desktop Entry]\nExec=mine %u\n')
    expect(await write()).toBe(false)
    expect(await readFile(own(), 'utf8')).toContain('mine')
  })

  it('leaves links to a package that is installed system-wide', async () => {
    await write()
    await mkdir(join(folder, 'system', 'applications'), { recursive: true })
    await writeFile(join(folder, 'system', 'applications', 'slipway.desktop'), '[Desktop Entry]\n')
    expect(await write()).toBe(false)
    expect(await readdir(join(folder, 'home', 'applications'))).toEqual([])
  })
})
