import type { ElectronApplication, Locator } from '@playwright/test'

/** Answers the system's question dialogs with the button of this label. Returns the questions. */
export async function answerQuestions(
  app: ElectronApplication,
  label: string,
): Promise<() => Promise<string[]>> {
  await app.evaluate(({ dialog }, answer) => {
    const questions: string[] = []
    Object.assign(globalThis, { questions })
    // The first argument may be the window.
    dialog.showMessageBox = (...args: unknown[]) => {
      const options = args.at(-1) as Electron.MessageBoxOptions
      questions.push(`${options.message}\n${options.detail}`)
      const response = options.buttons?.indexOf(answer) ?? -1
      return Promise.resolve({ response, checkboxChecked: false })
    }
  }, label)
  return () => app.evaluate(() => (globalThis as unknown as { questions: string[] }).questions)
}

/** Opens the part of the environment dialog that has integrations, certificate and proxy, unless it is open. */
export async function openAdvanced(dialog: Locator): Promise<void> {
  const toggle = dialog.getByRole('button', { name: 'Advanced', exact: true })
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
}
