import type { ElectronApplication } from '@playwright/test'

/** Answers the system's questions with the button of this label; gives what was asked. */
export async function answerQuestions(
  app: ElectronApplication,
  label: string,
): Promise<() => Promise<string[]>> {
  await app.evaluate(({ dialog }, answer) => {
    const asked: string[] = []
    Object.assign(globalThis, { asked })
    // With a window before the options, or without one.
    dialog.showMessageBox = (...given: unknown[]) => {
      const options = given.at(-1) as Electron.MessageBoxOptions
      asked.push(`${options.message}\n${options.detail}`)
      const response = options.buttons?.indexOf(answer) ?? -1
      return Promise.resolve({ response, checkboxChecked: false })
    }
  }, label)
  return () => app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)
}
