import { describe, expect, test } from 'vitest'
import { groupCommit } from '../../../../../../electron/service/database/sqlite/group-commit'

/** A transaction over a list of rows, like a database's: all writes last, or none. */
function table() {
  const rows: string[] = []
  let commits = 0
  const transaction = (work: () => void): void => {
    const before = [...rows]
    try {
      work()
      commits += 1
    } catch (error) {
      rows.splice(0, rows.length, ...before)
      throw error
    }
  }
  const insert = (row: string) => (): string => {
    if (rows.includes(row)) throw new Error(`${row} is there already`)
    rows.push(row)
    return `${row} is row ${rows.length}`
  }
  return { rows, insert, commits: () => commits, commit: groupCommit(transaction) }
}

describe('groupCommit', () => {
  test('commits concurrent writes once, in the order of arrival, and returns each its own result', async () => {
    const { rows, insert, commit, commits } = table()
    const results = await Promise.all(['a', 'b', 'c'].map((row) => commit(insert(row))))
    expect(results).toEqual(['a is row 1', 'b is row 2', 'c is row 3'])
    expect(rows).toEqual(['a', 'b', 'c'])
    expect(commits()).toBe(1)
    expect(await commit(insert('d'))).toBe('d is row 4')
    expect(commits()).toBe(2)
  })

  test('a failed write does not affect the others', async () => {
    const { rows, insert, commit } = table()
    const results = await Promise.allSettled(['a', 'a', 'b'].map((row) => commit(insert(row))))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(rows).toEqual(['a', 'b'])
  })

  test('a write that fails alone is tried once', async () => {
    const { commit } = table()
    let tries = 0
    const failing = commit(() => {
      tries += 1
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(tries).toBe(1)
  })

  test('no write is acknowledged if the commit itself fails', async () => {
    const commit = groupCommit((work) => {
      work()
      throw new Error('the disk is full')
    })
    const results = await Promise.allSettled([commit(() => 'a'), commit(() => 'b')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
