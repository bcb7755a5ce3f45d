import { z } from 'zod'
import { isObject } from '../../shared/json.ts'
import type { Behaviour, KindDefinition, Problem } from '../defineKind.ts'
import { defineKind } from './commonMembers.ts'
import { field } from '../members/fields.ts'
import { sealSecrets } from '../members/secrets.ts'
import { openObject } from '../members/shapes.ts'
import { words } from '../../shared/wordLists.ts'

const connection = z.strictObject({ config: openObject.optional() })

const sealed: Behaviour = {
  derive: ({ members, before }, secretCodec) => {
    const value = members['connection']
    if (!isObject(value)) return { members }
    const problems: Problem[] = []
    return {
      members: {
        ...members,
        connection: sealSecrets(value, before?.['connection'], '/connection', { secretCodec, problems }),
      },
      problems,
    }
  },
}

const service = (name: string, what: string, types: readonly string[]): KindDefinition =>
  defineKind({
    name,
    path: `services/${name}s`,
    description: `A platform that holds ${what}.`,
    shownBelow: ['serviceType'],
    traits: { bulk: true },
    behaviour: sealed,
    kept: 'ingestionRunner',
    fields: {
      serviceType: field.openWord('The platform.', types, { required: true }),
      connection: {
        schema: connection.meta({ id: 'ConnectionInput' }),
        answer: connection.meta({ id: 'Connection' }),
        description:
          'How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which ' +
          'sent back keeps it; addresses are answered without users and passwords.',
      },
    },
  })

export const services: readonly KindDefinition[] = [
  service(
    'databaseService',
    'databases',
    words(`
      Athena AzureSQL BigQuery Cassandra Clickhouse Cockroach CustomDatabase Databricks Datalake Db2 DeltaLake
      DynamoDB Glue Greenplum Hive Iceberg Impala MariaDB MongoDB Mssql Mysql Oracle Postgres Presto Redshift SapHana
      SQLite Snowflake Teradata Trino UnityCatalog Vertica`),
  ),
  service(
    'dashboardService',
    'dashboards',
    words(`
      CustomDashboard Domo Grafana Hex Lightdash Looker Metabase MicroStrategy Mode PowerBI QlikSense QuickSight
      Redash Sigma Superset Tableau ThoughtSpot`),
  ),
  service('messagingService', 'topics', words('CustomMessaging Kafka Kinesis NATS PubSub Pulsar RabbitMQ Redpanda')),
  service('mlmodelService', 'machine learning models', words('CustomMlModel Mlflow SageMaker Sklearn VertexAI')),
  service('storageService', 'files and folders', words('ADLS CustomStorage GCS S3')),
  service('searchService', 'search indexes', words('CustomSearch ElasticSearch OpenSearch Solr')),
  service(
    'pipelineService',
    'pipelines',
    words('Airbyte Airflow CustomPipeline DBTCloud Dagster Fivetran Flink GluePipeline Nifi OpenLineage Prefect Spark'),
  ),
  service('apiService', 'APIs', words('CustomApi GraphQL gRPC OpenAPI Rest')),
]
