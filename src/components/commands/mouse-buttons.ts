/** For how long the system may repeat what a button of the mouse did already, in milliseconds. */
const echoMs = 500

let lastMs = -Infinity

/** Notes that the page went back or forward by a button of the mouse, at a time of `performance.now()`. */
export function noteMouseButton(nowMs: number): void {
  lastMs = nowMs
}

/** Whether a command of the system is only what the page did already by the button. */
export const isEchoOfMouse = (nowMs: number): boolean => nowMs - lastMs < echoMs
