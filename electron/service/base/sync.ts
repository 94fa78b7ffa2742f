import { open } from 'node:fs/promises'

/** Waits until what a file has is on the disk. */
export const syncFile = (path: string): Promise<void> => syncOpened(path, 'r+')

/** Waits until what a folder has is on the disk: the names in it. */
export async function syncFolder(path: string): Promise<void> {
  // Windows can't do that with a folder, and can't even open one.
  if (process.platform !== 'win32') await syncOpened(path, 'r')
}

async function syncOpened(path: string, flags: 'r' | 'r+'): Promise<void> {
  const opened = await open(path, flags)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
