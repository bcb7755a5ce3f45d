/** A v3.1.0 document with something in every corner that an export must not touch. */
export const V31 = `# Orders, as sold
apiVersion: v3.1.0 # the standard
kind: DataContract
id: orders-contract
name: Orders
version: 1.10.0
status: retired   # kept as written
domain: sales
tenant: Shop
tags: [orders, 'gold']
description:
  purpose: One row for each order.
  limitations: No returns.
  usage: Reporting
servers:
  - server: prod
    type: postgres
    host: db
    port: 5432
    database: shop
    schema: public
schema:
  - name: orders
    physicalName: ord
    physicalType: table
    properties:
      - name: id # the key
        logicalType: integer
        physicalType: bigint
        primaryKey: true
        primaryKeyPosition: 1
        required: true
        unique: true
      - name: amount
        logicalType: number
        physicalType: decimal(10,2)
        businessName: Order amount
        logicalTypeOptions:
          maximum: 18446744073709551615
        quality:
          - metric: nullValues
            mustBe: 0
            dimension: completeness
      - name: lines
        logicalType: array
        items:
          logicalType: object
          properties:
            - name: sku
              logicalType: string
              physicalType: varchar(18)
    quality:
      - type: sql
        query: select count(*) from {object}
        mustBeGreaterThan: 0
  - name: customers
    properties:
      - name: email
        logicalType: string
        classification: restricted
team:
  members:
    - username: ann
      role: Owner
    - username: bob
      role: Reviewer
    - username: cid
      role: Data Scientist
      dateIn: "2022-08-02"
roles:
  - role: reader
    access: read
    firstLevelApprovers: Manager
    secondLevelApprovers: Board
slaProperties:
  - property: frequency
    value: 1
    valueExt: 1
    unit: d
    element: orders.id
  - property: latency
    value: 4
    unit: h
  - property: availability
    value: "99.9"
    unit: percent
  - property: retention
    value: 3
    unit: y
support:
  - channel: '#help'
    tool: slack
customProperties:
  - property: cluster
    value: [a, null, {b: 1}]
`

export const V30 = `version: 1.0.0
apiVersion: v3.0.1
kind: DataContract
id: old
status: active
servers:
  - server: lake
    type: athena
    staging_dir: s3://tmp
    stagingDir: s3://tmp2
    schema: raw
    color: blue
schema:
  - name: tbl
    properties:
      - name: age
        logicalType: integer
        logicalTypeOptions: {minimum: 0, exclusiveMinimum: true, maximum: 150, exclusiveMaximum: false}
      - name: code
        logicalType: string
        quality:
          - rule: nullCheck
            type: library
            severity: error
            frobnicate: 7
          - rule: duplicateCount
            mustBe: 0
          - type: sql
            query: select 1
          - type: custom
            engine: soda
            implementation: "x: y"
            mustBe: 3
team:
  - username: dan
    role: owner
    comment: Keeper
roles:
  - role: r
    firstLevelApprovers: Boss
    level: 3
slaProperties:
  - property: latency
    value: 4
    unit: d
    column: tbl.age
    note: internal
`

export const V2 = `datasetDomain: seller
quantumName: my quantum
userConsumptionMode: Analytical
version: 1.1.0
status: current
uuid: 53581432
description: {purpose: Views, limitations: null}
productDl: dl@example.org
productSlackChannel: '#help'
sourceSystem: bigQuery
datasetProject: edw
datasetName: views
kind: virtualDataset
apiVersion: 2.3.0
type: tables
username: joe
password: s3cret
dataset:
  - table: tbl
    priorTableName: old_tbl
    dataGranularity: daily
    columns:
      - column: at
        isPrimary: false
        logicalType: Timestamp
        physicalType: timestamp
        isNullable: false
        clusterStatus: true
        clusterKeyPosition: 1
        partitionStatus: true
        sampleValues: [2022-10-03]
        quality:
          - code: nullCheck
            templateName: NullCheck
            toolName: Elevate
            toolRuleName: DQ.x
            dimension: cp
            type: dataQuality
            scheduleCronExpression: 0 20 * * *
            columns: at
stakeholders:
  - {username: daustin, role: Owner, comment: Keeper, dateOut: null}
slaDefaultColumn: tbl.at
slaProperties:
  - {property: latency, value: 4, unit: d, column: tbl.at}
price: {priceAmount: "9.95"}
customProperties:
  - {property: ref, value: null}
systemInstance: here
`

/** A v3.2.0 document with what v3.1.0 lacks. */
export const V32 = `apiVersion: v3.2.0
kind: DataContract
id: new
version: 1.0.0
context: Ask for one day at a time.
servers:
  - {server: a, type: postgres, host: h, port: '\${DB_PORT}', database: d, schema: s}
  - {server: b, type: hana, host: h, port: 30015, database: t}
schema:
  - name: files
    logicalType: blob
    deprecated: true
  - name: tbl
    synonyms: [{synonym: orders, locale: en-US}]
    context: {instructions: One row a day., constraints: [{constraint: Do not join.}]}
    properties:
      - name: state
        logicalType: string
        semanticType: dimension
        enum: [{value: open, label: Open}, {value: shut}]
      - name: attributes
        logicalType: map
        map:
          key: {logicalType: string}
          value: {logicalType: map, map: {key: {logicalType: string}, value: {logicalType: integer}}}
      - name: embedding
        logicalType: vector
        logicalTypeOptions: {dimensions: 384, distanceMetric: cosine}
        relationships: [{id: r1, to: other.a-b}]
slaProperties:
  - {property: latency, value: 4, unit: h, customProperties: [{property: tier, value: gold, vendor: acme}]}
customProperties:
  - {property: own, value: 1, vendor: acme}
`

export const MINIMAL = 'apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: "1"\nstatus: draft\n'
