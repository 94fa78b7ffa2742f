import { StorageFailure } from '../base/storage-failure'

/** Runs file operations. Rejects with a StorageFailure instead of the system's error. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    throw new StorageFailure(
      code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'unavailable',
      error,
      'archives',
    )
  }
}

/** Runs `work`, and gives `otherwise` if it fails with a certain code of the system. */
export async function unless<T, Otherwise>(
  code: string,
  work: Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === code) return otherwise
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  const { code, syscall } = error as Partial<NodeJS.ErrnoException>
  return syscall === undefined ? undefined : code
}
