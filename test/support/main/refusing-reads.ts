import { type Files, nodeFiles } from '../../../electron/main/files'

/** The real file system, whose first synchronous reads, this many, fail with EIO. */
export function refusingReads(count: number): Files {
  let left = count
  const read: Files['now']['read'] = (path) => {
    if (left-- > 0) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    return nodeFiles.now.read(path)
  }
  return { ...nodeFiles, now: { ...nodeFiles.now, read } }
}
