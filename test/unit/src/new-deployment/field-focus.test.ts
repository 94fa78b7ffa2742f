import { beforeEach, describe, expect, it } from 'vitest'
import { fieldLabel } from '@/features/new-deployment/draft/fields'
import { focusInvalid, focusNext } from '@/features/new-deployment/use-draft-form'

let place: HTMLElement

beforeEach(() => {
  document.body.innerHTML = `<div>
    <label for="fine">Name</label><input id="fine">
    <label for="first">Git ref</label><input id="first" aria-invalid="true">
    <label for="second">Secret 2 name</label><input id="second" aria-invalid="true">
    <span id="third-label">Build on push</span>
    <div id="third" tabindex="0" aria-invalid="true" aria-labelledby="third-label"></div>
  </div>`
  place = document.body.querySelector('div')!
})

it.each([
  [null, 'first'],
  [fieldLabel(['secrets', 1, 'name']), 'second'],
  [fieldLabel(['source_config', 'build_on_push']), 'third'],
  // If the field doesn't exist, the first one with an error.
  ['Custom URL', 'first'],
])('of %j the field %s gets the focus', (label, id) => {
  focusInvalid(place, label)
  expect(document.activeElement?.id).toBe(id)
})

describe('the next of several fields', () => {
  const labels = ['Name', 'Git ref', fieldLabel(['secrets', 1, 'name'])]
  const focused = () => document.activeElement?.id
  const field = (id: string) => document.getElementById(id)

  it.each([
    [null, 'fine'],
    ['fine', 'first'],
    ['first', 'second'],
    // Wraps around.
    ['second', 'fine'],
    // From one that is not among them.
    ['third', 'fine'],
  ])('after %j is %s', (from, id) => {
    expect(focusNext(place, labels, from === null ? null : field(from))).toBe(true)
    expect(focused()).toBe(id)
  })
})
