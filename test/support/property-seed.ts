import fc from 'fast-check'

// The same values at every run, so that what fails on one machine fails on each. PROPERTY_SEED=N looks further.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20261121) })
