import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'
import vueParser from 'vue-eslint-parser'
import { boundaries } from './.eslint/boundaries.js'

/** Texts on the screen have straight quotation marks: in script, then in the markup of templates. */
const curlyQuotes = [
  'Literal[value=/[“”]/]',
  'TemplateElement[value.raw=/[“”]/]',
  'VText[value=/[“”]/]',
  'VLiteral[value=/[“”]/]',
].map((selector) => ({ selector, message: 'Use straight quotation marks.' }))

/** A watcher of a new array runs with each change of what it was made from, also when all its items stay the same. */
const watchedArrays = {
  selector:
    'CallExpression[callee.name="watch"] > ArrowFunctionExpression:first-child > :matches(ArrayExpression, TSAsExpression[expression.type="ArrayExpression"])',
  message: 'Watch an array of functions instead of a function that returns an array.',
}

export default tseslint.config(
  { ignores: ['out/', 'node_modules/', '.cache/', '.screenshots/', 'test-results/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  js.configs.recommended,
  tseslint.configs.recommended,
  vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parser: vueParser, parserOptions: { parser: tseslint.parser } },
  },
  {
    rules: {
      // The compiler knows the globals, and says so better.
      'no-undef': 'off',
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  ...boundaries,
  {
    files: ['src/**'],
    rules: {
      'no-restricted-syntax': ['error', ...curlyQuotes, watchedArrays],
      'vue/no-restricted-syntax': ['error', ...curlyQuotes],
    },
  },
  {
    files: ['**/*.vue'],
    rules: {
      'vue/no-v-html': 'error',
      'vue/v-bind-style': ['error', 'shorthand', { sameNameShorthand: 'always' }],
      'vue/multi-word-component-names': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
    },
  },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  prettier,
)
