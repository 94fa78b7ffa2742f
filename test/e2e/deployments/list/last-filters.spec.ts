import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { call, synchroniseNever } from '../../support/bridge'
import { deploymentsTable, shownNames } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { anyDeployment, StubService, useEnvironment } from '../../support/services/stub-service'
import { pageOf } from '../../../support/builders/page-of'

/** A service with a few deployments. Records the filters of each request for the list, and can withhold answers. */
async function serve() {
  const all = [4, 3, 2, 1].map(anyDeployment)
  const requested: string[] = []
  let held: Promise<void> = Promise.resolve()
  const stub = await StubService.start((query, response) => {
    const ids = query.get('deployment_ids')?.split(',')
    const name = query.get('name_contains')
    if (query.get('limit') === '50') requested.push(name ?? (ids ? 'by identifiers' : 'everything'))
    const found = all.filter(
      (one) => (ids ?? [one.id]).includes(one.id) && String(one.name).includes(name ?? ''),
    )
    response.setHeader('content-type', 'application/json')
    void held.then(() => response.end(JSON.stringify(pageOf(found, query))))
  })
  return {
    stub,
    requested,
    /** Withholds answers until the returned function is called. */
    hold: (): (() => void) => {
      let release = (): void => undefined
      held = new Promise((resolve) => (release = resolve))
      return release
    },
  }
}

const search = (page: Page) => page.getByRole('textbox', { name: 'Search deployments' })
/** The names in the list. */
const names = (page: Page) => deploymentsTable(page).getByRole('rowheader').getByRole('link')
const favourites = (page: Page) => page.getByRole('button', { name: 'Favourites', exact: true })

/** The contents of the plain and the encrypted file, as text. */
async function files(userData: string): Promise<{ plain: string; sealed: string }> {
  return {
    plain: await readFile(join(userData, 'choices.json'), 'utf8'),
    sealed: await readFile(join(userData, 'state.db'), 'latin1'),
  }
}

test('a start restores the last search, and never shows the list without it', async ({
  slipway,
  page,
  start,
  userData,
}) => {
  const { stub, requested, hold } = await serve()
  try {
    await useEnvironment(page, { name: 'Searched', baseUrl: stub.baseUrl })
    await synchroniseNever(page)
    await expect(names(page)).toHaveCount(4)
    await search(page).fill('stub-2')
    await expect(names(page)).toHaveCount(1)
    await slipway.close()
    const { plain, sealed } = await files(userData)
    expect(plain).toContain('"hasLastFilters": true')
    expect(plain + sealed).not.toContain('stub-2')

    // The cache has all of them, and is asked first.
    requested.length = 0
    const release = hold()
    const again = await start()
    await expect(search(again.page)).toHaveValue('stub-2')
    await expect(names(again.page)).toHaveText(['stub-2'])
    release()
    await expect.poll(() => shownNames(again.page)).toEqual(['stub-2'])
    expect(new Set(requested)).toEqual(new Set(['stub-2']))

    // A reload restores it too. A cleared search stays cleared.
    await again.page.reload()
    await expect(search(again.page)).toHaveValue('stub-2')
    await search(again.page).fill('')
    await expect(names(again.page)).toHaveCount(4)
    await again.close()
    const third = await start()
    await expect(names(third.page)).toHaveCount(4)
    await expect(search(third.page)).toHaveValue('')
  } finally {
    await stub.close()
  }
})

test('favourites and the cached list with its search are restored', async ({ slipway, page, start }) => {
  const { stub, requested } = await serve()
  try {
    await useEnvironment(page, { name: 'Favoured', baseUrl: stub.baseUrl })
    await synchroniseNever(page)
    await page.getByRole('button', { name: 'Favourite stub-3' }).click()
    await favourites(page).click()
    await expect(names(page)).toHaveText(['stub-3'])
    await slipway.close()

    requested.length = 0
    const again = await start()
    await expect(favourites(again.page)).toHaveAttribute('aria-pressed', 'true')
    await expect.poll(() => shownNames(again.page)).toEqual(['stub-3'])
    expect(requested).not.toContain('everything')
    await favourites(again.page).click()
    await again.page.getByRole('radio', { name: 'Cached' }).check()
    await search(again.page).fill('team/app stub-4')
    await expect.poll(() => shownNames(again.page)).toEqual(['stub-4'])
    await again.close()

    const third = await start()
    await expect(third.page.getByRole('radio', { name: 'Cached' })).toBeChecked()
    await expect(search(third.page)).toHaveValue('team/app stub-4')
    await expect.poll(() => shownNames(third.page)).toEqual(['stub-4'])
  } finally {
    await stub.close()
  }
})

test('neither another service nor a new environment shows the search of the previous one', async ({
  slipway,
  page,
  start,
}) => {
  const first = await serve()
  const second = await serve()
  try {
    const { id } = await useEnvironment(page, { name: 'Moved', baseUrl: first.stub.baseUrl })
    await expect(names(page)).toHaveCount(4)
    await search(page).fill('stub-2')
    await expect(names(page)).toHaveCount(1)
    await useEnvironment(page, { id, name: 'Moved', baseUrl: second.stub.baseUrl })
    await expect(names(page)).toHaveCount(4)
    await expect(search(page)).toHaveValue('')
    await slipway.close()

    const again = await start()
    await expect(names(again.page)).toHaveCount(4)
    await expect(search(again.page)).toHaveValue('')
    await useEnvironment(again.page, { id, name: 'Moved', baseUrl: first.stub.baseUrl })
    await expect(search(again.page), 'the first one has it again').toHaveValue('stub-2')
    expect(await call(again.page, 'environments.remove', { id, confirmedName: null })).toMatchObject({
      ok: true,
    })
    await useEnvironment(again.page, { name: 'Moved', baseUrl: first.stub.baseUrl })
    await expect(names(again.page)).toHaveCount(4)
    await expect(search(again.page)).toHaveValue('')
  } finally {
    await first.stub.close()
    await second.stub.close()
  }
})
