import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'
import { slipway } from './.eslint/rules.mjs'

/** Texts on the screen have straight quotation marks: in script, then in the markup of templates. */
const curlyQuotes = [
  'Literal[value=/[“”]/]',
  'TemplateElement[value.raw=/[“”]/]',
  'VText[value=/[“”]/]',
  'VLiteral[value=/[“”]/]',
].map((selector) => ({ selector, message: 'Use straight quotation marks.' }))

export default tseslint.config(
  { ignores: ['out/', 'node_modules/', '.cache/', '.screenshots/', 'test-results/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  vue.configs['flat/recommended'],
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.vue'],
      },
    },
  },
  { files: ['**/*.vue'], languageOptions: { parserOptions: { parser: tseslint.parser } } },

  {
    plugins: { slipway },
    rules: {
      'slipway/boundaries': 'error',
      'slipway/layers': 'error',
      'slipway/restricted': 'error',

      // The compiler knows the globals, and says so better.
      'no-undef': 'off',
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // A port's implementation may be asynchronous by its type alone.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-syntax': ['error', ...curlyQuotes],
      'vue/no-restricted-syntax': ['error', ...curlyQuotes],
    },
  },
  {
    files: ['**/*.vue'],
    rules: {
      'vue/no-v-html': 'error',
      'vue/multi-word-component-names': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
    },
  },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off', '@typescript-eslint/unbound-method': 'off' },
  },
  {
    // Rules handle any syntax tree; JSON and the like are parsed into checked shapes at once.
    files: ['.eslint/**', 'electron/launcher/**', '*.js'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  prettier,
)
