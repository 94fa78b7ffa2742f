/** Whether the window is on macOS, whose shortcuts use the Command key. */
export const onMac = navigator.platform.startsWith('Mac')
