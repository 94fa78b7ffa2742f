/**
 * The environment variables for a program that a test starts: this process's own, without what would turn Electron into
 * Node, and then `more`, in which undefined takes a variable away.
 */
export function variablesFor(...more: NodeJS.ProcessEnv[]): Record<string, string> {
  const all = Object.assign(
    {},
    process.env,
    { ELECTRON_RUN_AS_NODE: undefined },
    ...more,
  ) as NodeJS.ProcessEnv
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** For `variablesFor`: no display. */
export const noDisplay = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined }
