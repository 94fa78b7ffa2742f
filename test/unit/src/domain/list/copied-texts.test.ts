import type { DeploymentSummary } from '@contract'
import { answerLimits, shortText } from '@contract/deployment-api/list/list-limits'
import { expect, it } from 'vitest'
import { wholeTexts } from '@/domain/list/copied-texts'

const row = (name: string, image: string | null): DeploymentSummary =>
  ({ id: `id of ${name}`, name, image_uri: image, repo_url: null }) as DeploymentSummary

const max = answerLimits.summaryTextLength

it('has the texts in the order of the rows, without those that are missing', () => {
  const rows = [row('b', 'registry/b:1'), row('a', null), row('c', '')]
  expect(wholeTexts(rows, 'name')).toEqual(['b', 'a', 'c'])
  expect(wholeTexts(rows, 'image_uri')).toEqual(['registry/b:1'])
  expect(wholeTexts(rows, 'id')).toEqual(['id of b', 'id of a', 'id of c'])
})

it('leaves out shortened texts, which would name something else when pasted', () => {
  const whole = 'x'.repeat(max)
  const cut = [`${whole}x`, `${'x'.repeat(max - 1)}😀`].map((text) => shortText(text))
  expect(wholeTexts([row('a', whole), ...cut.map((image) => row('b', image))], 'image_uri')).toEqual([whole])
})
