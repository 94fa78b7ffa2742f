import type { Certificate } from '@contract'
import { type BrowserWindow, dialog } from 'electron'

/** What the user is asked before an environment's stored secrets are sent under a certificate that was refused. */
export interface TrustQuestion {
  environmentName: string
  origin: string
  certificate: Certificate
  /** The exact certificate that was trusted so far. */
  expected: Certificate | null
}

/** Asks the user; true only where they agree. */
export type ConfirmTrust = (question: TrustQuestion) => Promise<boolean>

/**
 * Asks in a dialog of the system, before the window that is there: the page cannot answer for the user. While one
 * question is open, every other one is answered with no.
 */
export function confirmTrustIn(current: () => BrowserWindow | null): ConfirmTrust {
  let asking = false
  return async (question) => {
    if (asking) return false
    asking = true
    try {
      const window = current()
      const options = optionsFor(question)
      const { response } = await (window
        ? dialog.showMessageBox(window, options)
        : dialog.showMessageBox(options))
      return response === trustButton
    } finally {
      asking = false
    }
  }
}

const buttons = ['Cancel', 'Trust certificate']
const trustButton = 1

function optionsFor({ environmentName, origin, certificate, expected }: TrustQuestion) {
  const shown = `Shown now (SHA-256):\n${lines(certificate.fingerprint)}`
  return {
    type: 'warning' as const,
    title: 'Slipway',
    message: `Trust this certificate of ${origin}?`,
    detail: [
      ...(expected ? [`Trusted so far (SHA-256):\n${lines(expected.fingerprint)}`] : []),
      shown,
      `Slipway will send the stored request headers of “${environmentName}” to whoever shows this certificate. ` +
        'Compare the fingerprint with what whoever runs the service tells you.',
    ].join('\n\n'),
    buttons,
    // Enter and Escape change nothing.
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  }
}

/** A fingerprint on two lines of 16 bytes, to be compared by eye. */
function lines(fingerprint: string): string {
  const half = 16 * 3
  return `${fingerprint.slice(0, half - 1)}\n${fingerprint.slice(half)}`
}
