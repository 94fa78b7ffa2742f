import { errorAnswerSchema, invalidAnswerSchema } from '../api/schemas'

const error = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorAnswerSchema } },
})

/** The errors of the routes, for the OpenAPI document. */
export const errorAnswers = {
  400: error('Broken JSON, or against a rule: the text says which.'),
  401: error('The API key is missing or wrong.'),
  403: error('The request comes from a page of another origin.'),
  404: error('No such integration.'),
  409: error('The name is taken, by a deployment or a tracing project.'),
  413: error('The body is larger than 1 MiB.'),
  415: error('The body is not application/json.'),
  422: {
    description: 'The request has the wrong shape.',
    content: { 'application/json': { schema: invalidAnswerSchema } },
  },
}
