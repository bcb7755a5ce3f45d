import type { JsonObject } from '../../shared/json.ts'
import { childFqn } from '../../kinds/names.ts'
import { randomFor } from '../random.ts'
import { dashboardsText, modelsText } from '../vocabulary/assets.ts'
import { belongsTo } from './people.ts'
import { bulk, refer, type Step } from './step.ts'

const dashboardServices: readonly JsonObject[] = [
  {
    name: 'bi_superset',
    serviceType: 'Superset',
    displayName: 'Superset',
    description: 'Dashboards for everybody.',
    connection: {
      config: {
        type: 'Superset',
        hostPort: 'https://bi.juniper-outfitters.example',
        connection: { provider: 'db', username: 'catalog', passwordFile: '/run/secrets/superset' },
      },
    },
  },
  {
    name: 'board_tableau',
    serviceType: 'Tableau',
    displayName: 'Tableau',
    description: 'Reports for finance and the board.',
    connection: {
      config: { type: 'Tableau', hostPort: 'https://tableau.juniper-outfitters.example', siteName: 'board' },
    },
  },
]

const modelServices: readonly JsonObject[] = [
  {
    name: 'models_mlflow',
    serviceType: 'Mlflow',
    displayName: 'Model registry',
    description: 'Every model that is in use or on trial.',
    connection: {
      config: {
        type: 'Mlflow',
        trackingUri: 'https://mlflow.juniper-outfitters.example',
        registryUri: 'https://mlflow.juniper-outfitters.example',
        supportsMetadataExtraction: true,
      },
    },
  },
]

/** `name / … = description | rest` of one line. */
const readLine = (line: string): { words: string[]; description: string; rest: string } => {
  const [head = '', tail = ''] = line.split('=').map((text) => text.trim())
  const [description = '', rest = ''] = tail.split('|').map((text) => text.trim())
  return { words: head.split('/').map((word) => word.trim()), description, rest }
}

const slug = (text: string): string => text.toLowerCase().replaceAll(' ', '-')

const finance = new Set(['Accounting', 'Controlling', 'Reporting'])

const dashboardOf = (line: string): JsonObject => {
  const {
    words: [title = '', part = ''],
    description,
  } = readLine(line)
  const board = finance.has(part)
  return {
    name: slug(title),
    displayName: title,
    description: `${description}.`,
    service: board ? 'board_tableau' : 'bi_superset',
    dashboardType: board ? 'Report' : 'Dashboard',
    project: part,
    sourceUrl: `https://${board ? 'tableau' : 'bi'}.juniper-outfitters.example/${slug(title)}`,
    tags: ['Layer.Mart', 'Lifecycle.Production'],
    ...belongsTo(part),
  }
}

export const dashboardRequests: readonly JsonObject[] = dashboardsText.trim().split('\n').map(dashboardOf)

const dashboardFqns = dashboardRequests.map(({ service, name }) => childFqn(service as string, name as string))

const featureTables = ['features_customer', 'features_product', 'features_order']

const featureOf = (text: string): JsonObject => {
  const categorical = text === text.toUpperCase()
  const name = text.toLowerCase()
  const table = featureTables[name.length % featureTables.length] as string
  return {
    name,
    dataType: categorical ? 'categorical' : 'numerical',
    description: `${categorical ? 'Category' : 'Number'}: ${name.replaceAll('_', ' ')}, of the table ${table}.`,
    featureAlgorithm: categorical ? 'One-hot encoding' : 'Standardisation',
  }
}

const hyperParametersOf = (algorithm: string, random: ReturnType<typeof randomFor>): JsonObject[] => [
  { name: 'random_seed', value: '20240607', description: 'Makes training repeatable.' },
  {
    name: 'validation_share',
    value: random.pick(['0.1', '0.15', '0.2']),
    description: 'Rows that are kept for validation.',
  },
  ...(/boosting|forest/.test(algorithm)
    ? [
        { name: 'tree_count', value: String(random.between(2, 20) * 50) },
        { name: 'maximum_depth', value: String(random.between(4, 12)) },
      ]
    : [
        { name: 'learning_rate', value: random.pick(['0.001', '0.01', '0.05']) },
        { name: 'epochs', value: String(random.between(5, 60)) },
      ]),
]

const modelOf = (line: string): JsonObject => {
  const {
    words: [name = '', part = '', algorithm = '', target = ''],
    description,
    rest,
  } = readLine(line)
  const random = randomFor(`model ${name}`)
  return {
    name,
    service: 'models_mlflow',
    description: `${description}.`,
    algorithm,
    target,
    mlFeatures: rest.split(' ').map(featureOf),
    mlHyperParameters: hyperParametersOf(algorithm, random),
    server: `https://models.juniper-outfitters.example/${name}/predict`,
    mlStore: {
      storage: `s3://juniper-models/${name}`,
      imageRepository: `registry.juniper-outfitters.example/models/${name}`,
    },
    ...(random.chance(0.6) && { dashboard: refer('dashboard', random.pick(dashboardFqns)) }),
    tags: [random.chance(0.25) ? 'Lifecycle.Experimental' : 'Lifecycle.Production'],
    ...belongsTo(part),
  }
}

export const modelRequests: readonly JsonObject[] = modelsText.trim().split('\n').map(modelOf)

/** Dashboards, then the models that show their state on them. */
export const dashboardSteps = (): Step[] => [
  bulk('dashboard services', 'services/dashboardServices', dashboardServices),
  bulk('dashboards', 'dashboards', dashboardRequests),
  bulk('model services', 'services/mlmodelServices', modelServices),
  bulk('models', 'mlmodels', modelRequests),
]
