/* Written by `npm run generate`; do not edit. */

export interface Schemas {
    /** @description `patch`: the change to make instead, relative to the present entity. Members that were not proposed need `edit`. */
    AcceptRequest: {
        /** @description A merge patch (an object, RFC 7396) or a JSON Patch (a list, RFC 6902), as PATCH takes it */
        patch?: {
            [key: string]: unknown;
        } | unknown[];
    };
    /** @description One thing that somebody did */
    ActivityEntry: {
        /** @description Names of the members that changed; of a creation domains and owners alone */
        changed: string[];
        /** @description `X-Correlation-ID` of the request, where it had one */
        clientCorrelationId?: string;
        /** @description Id of the request or recursive operation */
        correlationId: string;
        /** @description FQNs of the domains that the entity had just before or just after */
        domains: string[];
        /** @description What it was done to, as it is now (`deleted` also when it was hard-deleted); where the caller may no longer view it, as the event says */
        entity: {
            deleted: boolean;
            displayName?: string;
            fullyQualifiedName: string;
            /** Format: uuid */
            id: string;
            name: string;
            type: string;
        };
        /** @description Name of the user who follows the entity from then on (`FollowerAdded`), or no more (`FollowerRemoved`) */
        follower?: string;
        /** @description Log position */
        position: string;
        /** @description The change in a sentence */
        summary: string;
        /** Format: date-time */
        time: string;
        /** @enum {string} */
        type: "Created" | "Updated" | "SoftDeleted" | "Restored" | "HardDeleted" | "Voted" | "FollowerAdded" | "FollowerRemoved" | "AssetsAdded" | "AssetsRemoved" | "PortsAdded" | "PortsRemoved" | "Validated" | "Confirmed" | "FellDue" | "LineageStated" | "RunReported" | "Forgotten" | "KeyChanged" | "PoliciesChanged";
        /** @description Who did it */
        user: string;
        /** @description Version of the entity after it */
        version: number;
        /**
         * @description The vote that the user has from then on (`Voted`)
         * @enum {string}
         */
        vote?: "votedUp" | "votedDown" | "unVoted";
    };
    ActivityList: {
        data: Schemas['ActivityEntry'][];
        paging: {
            after?: string;
        };
    };
    Alive: {
        /** @constant */
        status: "alive";
    };
    /** @description A group of endpoints of an API. */
    ApiCollection: {
        /** @description Kept as its loader sends it; an empty list is none. */
        apiEndpoints?: unknown;
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description Where it is reached. */
        endpointURL?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    ApiCollectionFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, apiEndpoints, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of apiCollections. */
    ApiCollectionList: {
        data: Schemas['ApiCollection'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    ApiCollectionPatch: {
        apiEndpoints?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is reached. */
        endpointURL?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    ApiCollectionVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['ApiCollection'][];
    };
    /** @description One operation of an API. */
    ApiEndpoint: {
        /** @description What the entity belongs to. */
        apiCollection?: Schemas['EntityReference'];
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description Where it is reached. */
        endpointURL?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The HTTP method.
         * @default GET
         * @example GET
         * @example POST
         * @example PUT
         * @example PATCH
         * @example DELETE
         * @example HEAD
         * @example OPTIONS
         * @example CONNECT
         * @example TRACE
         */
        requestMethod?: string;
        /** @description What a request holds. */
        requestSchema?: Schemas['Schema'];
        /** @description What a response holds. */
        responseSchema?: Schemas['Schema'];
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    ApiEndpointFilter: {
        /** @description Only those with this apiCollection */
        apiCollection?: string;
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of apiEndpoints. */
    ApiEndpointList: {
        data: Schemas['ApiEndpoint'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    ApiEndpointPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is reached. */
        endpointURL?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The HTTP method.
         * @default GET
         * @example GET
         * @example POST
         * @example PUT
         * @example PATCH
         * @example DELETE
         * @example HEAD
         * @example OPTIONS
         * @example CONNECT
         * @example TRACE
         */
        requestMethod?: string | null;
        /** @description What a request holds. */
        requestSchema?: Schemas['SchemaInput'] | null;
        /** @description What a response holds. */
        responseSchema?: Schemas['SchemaInput'] | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    ApiEndpointVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['ApiEndpoint'][];
    };
    /** @description A platform that holds APIs. */
    ApiService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example CustomApi
         * @example GraphQL
         * @example gRPC
         * @example OpenAPI
         * @example Rest
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    ApiServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/apiServices. */
    ApiServiceList: {
        data: Schemas['ApiService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    ApiServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomApi
         * @example GraphQL
         * @example gRPC
         * @example OpenAPI
         * @example Rest
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    ApiServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['ApiService'][];
    };
    /** @description One page of the assets of a data product. */
    AssetList: {
        data: Schemas['EntityReference'][];
        paging: Schemas['Paging'];
    };
    /** @description Assets to add or remove. */
    AssetsRequest: {
        assets: {
            deleted?: boolean;
            description?: string;
            displayName?: string;
            fullyQualifiedName?: string;
            href?: string;
            /** Format: uuid */
            id?: string;
            name?: string;
            type: string;
        }[];
    };
    AsyncApi: {
        asyncapi: string;
    } & {
        [key: string]: unknown;
    };
    /** @description Who wrote a value, when, and with which request. */
    Author: {
        /**
         * @description There is no value any more: this is who cleared it
         * @constant
         */
        cleared?: true;
        clientCorrelationId?: string;
        /** @description The request that wrote it: see `GET /v1/requests/{correlationId}` */
        correlationId: string;
        position: string;
        /** @description Who proposed it, if it came from a proposal */
        proposer?: string;
        /** Format: date-time */
        time: string;
        user: string;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkApiCollection: {
        apiEndpoints?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is reached. */
        endpointURL?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkApiEndpoint: {
        /** @description What the entity belongs to. */
        apiCollection: Schemas['ReferenceInput'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is reached. */
        endpointURL?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The HTTP method.
         * @default GET
         * @example GET
         * @example POST
         * @example PUT
         * @example PATCH
         * @example DELETE
         * @example HEAD
         * @example OPTIONS
         * @example CONNECT
         * @example TRACE
         */
        requestMethod?: string | null;
        /** @description What a request holds. */
        requestSchema?: Schemas['SchemaInput'] | null;
        /** @description What a response holds. */
        responseSchema?: Schemas['SchemaInput'] | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkApiService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomApi
         * @example GraphQL
         * @example gRPC
         * @example OpenAPI
         * @example Rest
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkChart: {
        /**
         * @description How it shows its data.
         * @example Area
         * @example Bar
         * @example BoxPlot
         * @example Gauge
         * @example Line
         * @example Map
         * @example Pie
         * @example Scatter
         * @example Table
         * @example Text
         * @example Other
         */
        chartType?: string | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkContainer: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What its files have in common. */
        dataModel?: Schemas['DataModelInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Formats of its files. */
        fileFormats?: string[] | null;
        /** @description Whole path or address of it. */
        fullPath?: string | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description Number of objects in it. */
        numberOfObjects?: number | null;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The container that it stands in. */
        parent?: Schemas['ReferenceInput'] | null;
        /** @description Path below its parent. */
        prefix?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Size in bytes. */
        size?: number | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkDashboard: {
        /** @description The charts that it shows. */
        charts?: Schemas['ReferenceInput'][] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /**
         * @description What sort of dashboard it is.
         * @example Dashboard
         * @example Report
         */
        dashboardType?: string | null;
        dataModels?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Project or folder that it stands in. */
        project?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkDashboardService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomDashboard
         * @example Domo
         * @example Grafana
         * @example Hex
         * @example Lightdash
         * @example Looker
         * @example Metabase
         * @example MicroStrategy
         * @example Mode
         * @example PowerBI
         * @example QlikSense
         * @example QuickSight
         * @example Redash
         * @example Sigma
         * @example Superset
         * @example Tableau
         * @example ThoughtSpot
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkDatabase: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        default?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkDatabaseSchema: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What the entity belongs to. */
        database: Schemas['ReferenceInput'];
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkDatabaseService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example Athena
         * @example AzureSQL
         * @example BigQuery
         * @example Cassandra
         * @example Clickhouse
         * @example Cockroach
         * @example CustomDatabase
         * @example Databricks
         * @example Datalake
         * @example Db2
         * @example DeltaLake
         * @example DynamoDB
         * @example Glue
         * @example Greenplum
         * @example Hive
         * @example Iceberg
         * @example Impala
         * @example MariaDB
         * @example MongoDB
         * @example Mssql
         * @example Mysql
         * @example Oracle
         * @example Postgres
         * @example Presto
         * @example Redshift
         * @example SapHana
         * @example SQLite
         * @example Snowflake
         * @example Teradata
         * @example Trino
         * @example UnityCatalog
         * @example Vertica
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkMessagingService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomMessaging
         * @example Kafka
         * @example Kinesis
         * @example NATS
         * @example PubSub
         * @example Pulsar
         * @example RabbitMQ
         * @example Redpanda
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkMlmodel: {
        /** @description How it learns. */
        algorithm?: string | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description Where its performance is shown. */
        dashboard?: Schemas['ReferenceInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description What it learns from. */
        mlFeatures?: Schemas['MlFeatureInput'][] | null;
        /** @description How it was set up. */
        mlHyperParameters?: {
            description?: string | null;
            name: string;
            value?: string | null;
        }[] | null;
        /** @description Where it is kept. */
        mlStore?: {
            imageRepository?: string | null;
            storage?: string | null;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is served. */
        server?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What it predicts. */
        target?: string | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkMlmodelService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomMlModel
         * @example Mlflow
         * @example SageMaker
         * @example Sklearn
         * @example VertexAI
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkPipeline: {
        /** @description Runs that there may be at a time. */
        concurrency?: number | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Where its code is, kept as its loader sends it. */
        pipelineLocation?: string | null;
        /** @description When it runs: a cron expression, or words such as @daily. */
        scheduleInterval?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description From when on it is scheduled: a day or an instant. */
        startDate?: string | null;
        /** @description Whether it is scheduled, such as Active or Inactive, kept as its loader sends it. */
        state?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description Its steps. */
        tasks?: Schemas['PipelineTaskInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkPipelineService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example Airbyte
         * @example Airflow
         * @example CustomPipeline
         * @example DBTCloud
         * @example Dagster
         * @example Fivetran
         * @example Flink
         * @example GluePipeline
         * @example Nifi
         * @example OpenLineage
         * @example Prefect
         * @example Spark
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkQuery: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        cost?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description How long it took, in seconds. */
        duration?: number | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        exclude_usage?: unknown | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description The statement. */
        query: string;
        queryDate?: (string | number) | null;
        /** @description The tables that it reads. */
        queryUsedIn?: Schemas['ReferenceInput'][] | null;
        query_type?: unknown | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        triggeredBy?: unknown | null;
        usedBy?: unknown | null;
        users?: unknown | null;
    };
    /** @description The outcome for each item of a bulk request. */
    BulkResult: {
        failedRequest: {
            code: string;
            errors: {
                message: string;
                /** @description JSON Pointer into the item */
                path: string;
            }[];
            /** @description Index of the item in the body */
            index: number;
            message: string;
            request: string;
            status: number;
        }[];
        numberOfRowsFailed: number;
        numberOfRowsPassed: number;
        numberOfRowsProcessed: number;
        /** @enum {string} */
        status: "success" | "partialSuccess" | "failure";
        successRequest: {
            request: string;
            status: number;
        }[];
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkSearchIndex: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description The fields of its documents. */
        fields?: Schemas['SearchIndexFieldInput'][] | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /**
         * @description What sort of index it is.
         * @example Index
         * @example DataStream
         */
        indexType?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Settings of the index. */
        searchIndexSettings?: {
            [key: string]: unknown;
        } | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkSearchService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomSearch
         * @example ElasticSearch
         * @example OpenSearch
         * @example Solr
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkStorageService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example ADLS
         * @example CustomStorage
         * @example GCS
         * @example S3
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkStoredProcedure: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What the entity belongs to. */
        databaseSchema: Schemas['ReferenceInput'];
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description What it does. */
        storedProcedureCode: {
            code: string;
            /**
             * @example SQL
             * @example Java
             * @example JavaScript
             * @example Python
             * @example Scala
             * @example External
             */
            language?: string | null;
        };
        /**
         * @description What sort of procedure it is.
         * @example StoredProcedure
         * @example UDF
         * @example StoredPackage
         * @example Function
         */
        storedProcedureType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkTable: {
        /** @description The columns, in order. */
        columns?: Schemas['ColumnInput'][] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        dataModel?: unknown | null;
        /** @description What the entity belongs to. */
        databaseSchema: Schemas['ReferenceInput'];
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description What its files are written in, kept as its loader sends it. */
        fileFormat?: string | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Where its files are, kept as its loader sends it. */
        locationPath?: string | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description The statement that defines it, such as a view’s query. */
        schemaDefinition?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Constraints over several columns, and to other tables. */
        tableConstraints?: {
            columns: string[];
            /**
             * @example UNIQUE
             * @example PRIMARY_KEY
             * @example FOREIGN_KEY
             * @example SORT_KEY
             * @example DIST_KEY
             * @example CLUSTER_KEY
             */
            constraintType: string;
            referredColumns?: string[] | null;
            /**
             * @example ONE_TO_ONE
             * @example ONE_TO_MANY
             * @example MANY_TO_ONE
             * @example MANY_TO_MANY
             */
            relationshipType?: string | null;
        }[] | null;
        /** @description How it is partitioned, kept as its loader sends it. */
        tablePartition?: {
            [key: string]: unknown;
        } | null;
        tableProfilerConfig?: unknown | null;
        /**
         * @description What sort of table it is.
         * @default Regular
         * @example Regular
         * @example External
         * @example Dynamic
         * @example View
         * @example SecureView
         * @example MaterializedView
         * @example Iceberg
         * @example Local
         * @example Partitioned
         * @example Foreign
         * @example Transient
         * @example Stream
         * @example Stage
         * @example Temporary
         */
        tableType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description How much it is used. */
        usageSummary?: {
            dailyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
            date?: string | null;
            monthlyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
            weeklyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
        } | null;
    };
    /** @description A create request that may have a condition. `ifMatch`: only if the entity has the revision of this ETag. `ifNoneMatch`, which can only be `*`: only if it does not exist. Otherwise the item fails with 412. */
    BulkTopic: {
        /** @description How old messages go. */
        cleanupPolicies?: string[] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ifMatch?: string | null;
        ifNoneMatch?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Largest message, in bytes. */
        maximumMessageSize?: number | null;
        /** @description The schema of its messages. Fields are read from Avro, JSON Schema and Protobuf texts. */
        messageSchema?: Schemas['SchemaInput'] | null;
        /** @description Copies that must have a message before it is acknowledged. */
        minimumInSyncReplicas?: number | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Number of partitions.
         * @default 1
         */
        partitions?: number | null;
        /** @description Number of copies. */
        replicationFactor?: number | null;
        /**
         * @description Size at which messages go, in bytes; -1: unlimited.
         * @default -1
         */
        retentionSize?: number | null;
        /** @description How long messages stay, in milliseconds; -1: for ever. */
        retentionTime?: number | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description Further settings of the platform. */
        topicConfig?: {
            [key: string]: unknown;
        } | null;
    };
    /** @description What the newest version changed. */
    ChangeDescription: {
        fieldsAdded: {
            name: string;
            newValue?: unknown;
            oldValue?: unknown;
        }[];
        fieldsDeleted: {
            name: string;
            newValue?: unknown;
            oldValue?: unknown;
        }[];
        fieldsUpdated: {
            name: string;
            newValue?: unknown;
            oldValue?: unknown;
        }[];
        previousVersion: number;
    };
    /** @description Values to set, add and remove for many entities: texts and fully qualified names. `user:sales` and `team:sales` are owners that have the same name. */
    ChangesRequest: {
        /** @description Also what `remove` has */
        add?: {
            domains?: string[];
            owners?: string[];
            tags?: string[];
            terms?: string[];
        };
        /** @description The entities to change; default: everything that the query finds, which must have a filter then */
        ids?: string[];
        remove?: {
            domains?: string[];
            owners?: string[];
            tags?: string[];
            terms?: string[];
        };
        set?: {
            description?: string | null;
            displayName?: string | null;
            domains?: string[];
            owners?: string[];
            tags?: string[];
            terms?: string[];
        };
    };
    /** @description The outcome of changing many entities. */
    ChangesResult: {
        changed: number;
        /** @description Of this request: `POST /v1/requests/{correlationId}/revert` undoes it */
        correlationId: string;
        /** @description All entities except the unchanged ones */
        data: {
            /** @description Cells as text; long ones are cut */
            changes: {
                after: string;
                before: string;
                column: string;
            }[];
            errors: {
                column?: string;
                message: string;
            }[];
            fullyQualifiedName: string;
            /** Format: uuid */
            id?: string;
            /** @enum {string} */
            outcome: "changed" | "conflict" | "refused";
            /** @description Row of the spreadsheet; the header is the first */
            row?: number;
        }[];
        dryRun: boolean;
        failed: number;
        processed: number;
        /** @enum {string} */
        status: "success" | "partialSuccess" | "failure";
        unchanged: number;
    };
    /** @description A chart of a dashboard service. */
    Chart: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * @description How it shows its data.
         * @example Area
         * @example Bar
         * @example BoxPlot
         * @example Gauge
         * @example Line
         * @example Map
         * @example Pie
         * @example Scatter
         * @example Table
         * @example Text
         * @example Other
         */
        chartType?: string;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dashboards?: Schemas['EntityReference'][];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    ChartFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, dashboards, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of charts. */
    ChartList: {
        data: Schemas['Chart'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    ChartPatch: {
        /**
         * @description How it shows its data.
         * @example Area
         * @example Bar
         * @example BoxPlot
         * @example Gauge
         * @example Line
         * @example Map
         * @example Pie
         * @example Scatter
         * @example Table
         * @example Text
         * @example Other
         */
        chartType?: string | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    ChartVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Chart'][];
    };
    /** @description A family of tags. */
    Classification: {
        /** @description Kept as its loader sends it; an empty list is none. */
        autoClassificationConfig?: unknown;
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /**
         * @description At most one of its tags may stand on the same thing.
         * @default false
         */
        mutuallyExclusive?: boolean;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description Who made it.
         * @default user
         * @example user
         * @example system
         */
        provider?: string;
        /** @description Who reviews changes. */
        reviewers?: Schemas['EntityReference'][];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        termCount?: number;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    ClassificationFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, reviewers, autoClassificationConfig, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this reviewer */
        reviewer?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of classifications. */
    ClassificationList: {
        data: Schemas['Classification'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    ClassificationPatch: {
        autoClassificationConfig?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /**
         * @description At most one of its tags may stand on the same thing.
         * @default false
         */
        mutuallyExclusive?: boolean | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Who made it.
         * @default user
         * @example user
         * @example system
         */
        provider?: string | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    ClassificationVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Classification'][];
    };
    /** @description One event of the catalog as a CloudEvents 1.0 JSON object */
    CloudEvent: {
        /** @description Name of the user whose request caused it */
        actor: string;
        /** @description The command or the event that caused it */
        causationid: string;
        /** @description `X-Correlation-ID` of the request, where it had one */
        clientcorrelationid?: string;
        /** @description The request, or the recursive operation, that it belongs to */
        correlationid: string;
        /** @description The change: see the schema of the event type */
        data: {
            [key: string]: unknown;
        };
        /** @constant */
        datacontenttype: "application/json";
        /** @description Names the JSON Schema of the data; /v1/events/schemas lists all */
        dataschema: string;
        /** Format: uuid */
        entityid: string;
        /** @description Version of the entity after the event, e.g. 0.3 */
        entityversion: string;
        /** @description SHA-256, in hex, of the event as the log has it: the entry of its leaf in the tree */
        hash: string;
        /**
         * Format: uuid
         * @description Id of the event
         */
        id: string;
        /** @description The index of its leaf in the tree: the number of events before it in the log. Absent while the tree of a log in EventStoreDB is being built */
        leafindex?: string;
        /**
         * Format: date-time
         * @description What the clock of the machine said, where the log was ahead of it and `time` is the time of the log
         */
        machinetime?: string;
        /** @description Place in the log */
        position: string;
        /** @description `hash` of the event before it of the same entity */
        previoushash?: string;
        /**
         * Format: uuid
         * @description The proposal that the actor accepted with it
         */
        proposalid?: string;
        /** @description Name of the user who had proposed it */
        proposer?: string;
        /** @description Number of the event in the stream of its entity, from 0 on */
        revision: string;
        /** @description Version of the shape that the event was written in; the data is that of today */
        schemaversion: string;
        /** @description /api/v1/<path of the kind> */
        source: string;
        /** @constant */
        specversion: "1.0";
        /** @description Fully qualified name of the entity */
        subject: string;
        /** Format: date-time */
        time: string;
        /** @description The span that it was made in, as W3C trace context */
        traceparent?: string;
        /** @description catalog.<kind>.<event type> */
        type: string;
    };
    Column: {
        arrayDataType?: Schemas['ColumnDataType'];
        children?: Schemas['Column'][];
        /**
         * @description Taken in any case.
         * @enum {string}
         */
        constraint?: "NULL" | "NOT_NULL" | "UNIQUE" | "PRIMARY_KEY";
        customMetrics?: unknown;
        dataLength?: number;
        dataType: Schemas['ColumnDataType'];
        dataTypeDisplay?: string;
        description?: string;
        displayName?: string;
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName?: string;
        jsonSchema?: string;
        name: string;
        ordinalPosition?: number;
        precision?: number;
        profile?: unknown;
        scale?: number;
        tags?: Schemas['TagLabel'][];
    };
    /**
     * @description Taken in any case.
     * @enum {string}
     */
    ColumnDataType: "NUMBER" | "TINYINT" | "SMALLINT" | "INT" | "BIGINT" | "BYTEINT" | "BYTES" | "FLOAT" | "DOUBLE" | "DECIMAL" | "NUMERIC" | "TIMESTAMP" | "TIMESTAMPZ" | "TIME" | "DATE" | "DATETIME" | "INTERVAL" | "STRING" | "MEDIUMTEXT" | "TEXT" | "CHAR" | "LONG" | "VARCHAR" | "BOOLEAN" | "BINARY" | "VARBINARY" | "ARRAY" | "BLOB" | "LONGBLOB" | "MEDIUMBLOB" | "MAP" | "STRUCT" | "UNION" | "SET" | "GEOGRAPHY" | "ENUM" | "JSON" | "UUID" | "VARIANT" | "GEOMETRY" | "BYTEA" | "AGGREGATEFUNCTION" | "ERROR" | "FIXED" | "RECORD" | "NULL" | "SUPER" | "HLLSKETCH" | "PG_LSN" | "PG_SNAPSHOT" | "TSQUERY" | "TXID_SNAPSHOT" | "XML" | "MACADDR" | "TSVECTOR" | "UNKNOWN" | "CIDR" | "INET" | "CLOB" | "ROWID" | "LOWCARDINALITY" | "YEAR" | "POINT" | "POLYGON" | "TUPLE" | "SPATIAL" | "TABLE" | "NTEXT" | "IMAGE" | "IPV4" | "IPV6" | "DATETIMERANGE" | "HLL" | "LARGEINT" | "QUANTILE_STATE" | "AGG_STATE" | "BITMAP" | "UINT" | "BIT" | "MONEY" | "MEASURE" | "KPI" | "HIERARCHYID";
    ColumnInput: {
        arrayDataType?: Schemas['ColumnDataType'] | null;
        children?: Schemas['ColumnInput'][] | null;
        /**
         * @description Taken in any case.
         * @enum {string|null}
         */
        constraint?: "NULL" | "NOT_NULL" | "UNIQUE" | "PRIMARY_KEY" | null;
        customMetrics?: unknown | null;
        dataLength?: number | null;
        dataType: Schemas['ColumnDataType'];
        dataTypeDisplay?: string | null;
        description?: string | null;
        displayName?: string | null;
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description It follows from the names: leave it out. A change of it is refused. */
        fullyQualifiedName?: string | null;
        jsonSchema?: string | null;
        name: string;
        ordinalPosition?: number | null;
        precision?: number | null;
        profile?: unknown | null;
        scale?: number | null;
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description Confirms that the entity is still right. */
    ConfirmRequest: {
        /**
         * Format: date
         * @description The day by which it is to be confirmed again
         */
        confirmBy?: string;
    };
    Connection: {
        config?: {
            [key: string]: unknown;
        };
    };
    ConnectionInput: {
        config?: {
            [key: string]: unknown;
        } | null;
    };
    /** @description Proves that the larger log begins with the smaller one */
    ConsistencyProof: {
        from: number;
        /** Format: base64 */
        fromRoot: string;
        /** @description SHA-256 hashes, lowest first, as RFC 9162 orders them */
        hashes: string[];
        to: number;
        /** Format: base64 */
        toRoot: string;
    };
    /** @description A bucket, folder or file set of a storage service. */
    Container: {
        changeDescription?: Schemas['ChangeDescription'];
        children?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description What its files have in common. */
        dataModel?: Schemas['DataModel'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Formats of its files. */
        fileFormats?: string[];
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        /** @description Whole path or address of it. */
        fullPath?: string;
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Number of objects in it. */
        numberOfObjects?: number;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description The container that it stands in. */
        parent?: Schemas['EntityReference'];
        /** @description Path below its parent. */
        prefix?: string;
        provenance?: Schemas['Provenance'];
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Size in bytes. */
        size?: number;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    ContainerFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, children, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only those directly below this parent; or, with the name of the service, those directly below that */
        parent?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of containers. */
    ContainerList: {
        data: Schemas['Container'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    ContainerPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What its files have in common. */
        dataModel?: Schemas['DataModelInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Formats of its files. */
        fileFormats?: string[] | null;
        /** @description Whole path or address of it. */
        fullPath?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Number of objects in it. */
        numberOfObjects?: number | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Path below its parent. */
        prefix?: string | null;
        /** @description Size in bytes. */
        size?: number | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    ContainerVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Container'][];
    };
    ContractColumn: {
        arrayDataType?: Schemas['ColumnDataType'];
        children?: Schemas['ContractColumn'][];
        /**
         * @description Taken in any case.
         * @enum {string}
         */
        constraint?: "NULL" | "NOT_NULL" | "UNIQUE" | "PRIMARY_KEY";
        customMetrics?: unknown;
        dataLength?: number;
        dataType: Schemas['ColumnDataType'];
        dataTypeDisplay?: string;
        description?: string;
        displayName?: string;
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName?: string;
        jsonSchema?: string;
        name: string;
        ordinalPosition?: number;
        precision?: number;
        primaryKey?: boolean;
        profile?: unknown;
        required?: boolean;
        scale?: number;
        tags?: Schemas['TagLabel'][];
        unique?: boolean;
    };
    ContractColumnInput: {
        arrayDataType?: Schemas['ColumnDataType'] | null;
        children?: Schemas['ContractColumnInput'][] | null;
        /**
         * @description Taken in any case.
         * @enum {string|null}
         */
        constraint?: "NULL" | "NOT_NULL" | "UNIQUE" | "PRIMARY_KEY" | null;
        customMetrics?: unknown | null;
        dataLength?: number | null;
        dataType: Schemas['ColumnDataType'];
        dataTypeDisplay?: string | null;
        description?: string | null;
        displayName?: string | null;
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description It follows from the names: leave it out. A change of it is refused. */
        fullyQualifiedName?: string | null;
        jsonSchema?: string | null;
        name: string;
        ordinalPosition?: number | null;
        precision?: number | null;
        primaryKey?: boolean | null;
        profile?: unknown | null;
        required?: boolean | null;
        scale?: number | null;
        tags?: Schemas['TagInput'][] | null;
        unique?: boolean | null;
    };
    /** @description The result of a validation of a contract. */
    ContractResult: {
        message?: string;
        qualityValidation?: {
            failed: number;
            failedTests?: {
                reason?: string;
                testCase: string;
            }[];
            passed: number;
            total: number;
        };
        schemaValidation?: {
            failed: number;
            failedFields?: string[];
            passed: number;
            total: number;
            typeMismatchFields?: string[];
        };
        semanticsValidation?: {
            failed: number;
            failedRules?: {
                reason?: string;
                ruleName: string;
            }[];
            passed: number;
            skippedRules?: {
                reason?: string;
                ruleName: string;
            }[];
            total: number;
        };
        /** @enum {string} */
        status: "Success" | "PartialSuccess" | "Failed" | "Aborted" | "Queued" | "Running";
        /** @description The results of the contract’s test cases */
        testResults?: {
            message?: string;
            /** @enum {string} */
            status: "Success" | "Failed" | "Aborted";
            testCase: string;
            /** @description When it ran, in epoch milliseconds */
            timestamp?: number;
        }[];
        /** @description When it ended, in epoch milliseconds; default: now */
        timestamp?: number;
    };
    Coverage: {
        asOf?: string;
        data: {
            group: {
                kind: string;
            } | Schemas['EntityReference'];
            /** @description Shares that the caller may not know are absent */
            measures: {
                [key: string]: {
                    covered: number;
                    /** @description The assets that it applies to */
                    of: number;
                };
            };
            /** @description Live assets */
            total: number;
        }[];
        /**
         * @description At most 50 groups: those with the most assets now, with their numbers at `asOf`. `total` and `measures` count all assets
         * @constant
         */
        groupsAsOf?: "now";
        /** @description Shares that the caller may not know are absent */
        measures: {
            [key: string]: {
                covered: number;
                /** @description The assets that it applies to */
                of: number;
            };
        };
        /** @description Live assets */
        total: number;
    };
    CoverageHistory: {
        data: {
            /** @description Shares that the caller may not know are absent */
            measures: {
                [key: string]: {
                    covered: number;
                    /** @description The assets that it applies to */
                    of: number;
                };
            };
            /** Format: date-time */
            time: string;
            /** @description Live assets */
            total: number;
        }[];
    };
    CreateApiCollection: {
        apiEndpoints?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is reached. */
        endpointURL?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateApiEndpoint: {
        /** @description What the entity belongs to. */
        apiCollection: Schemas['ReferenceInput'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is reached. */
        endpointURL?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The HTTP method.
         * @default GET
         * @example GET
         * @example POST
         * @example PUT
         * @example PATCH
         * @example DELETE
         * @example HEAD
         * @example OPTIONS
         * @example CONNECT
         * @example TRACE
         */
        requestMethod?: string | null;
        /** @description What a request holds. */
        requestSchema?: Schemas['SchemaInput'] | null;
        /** @description What a response holds. */
        responseSchema?: Schemas['SchemaInput'] | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateApiService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomApi
         * @example GraphQL
         * @example gRPC
         * @example OpenAPI
         * @example Rest
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateChart: {
        /**
         * @description How it shows its data.
         * @example Area
         * @example Bar
         * @example BoxPlot
         * @example Gauge
         * @example Line
         * @example Map
         * @example Pie
         * @example Scatter
         * @example Table
         * @example Text
         * @example Other
         */
        chartType?: string | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateClassification: {
        autoClassificationConfig?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /**
         * @description At most one of its tags may stand on the same thing.
         * @default false
         */
        mutuallyExclusive?: boolean | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Who made it.
         * @default user
         * @example user
         * @example system
         */
        provider?: string | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateContainer: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What its files have in common. */
        dataModel?: Schemas['DataModelInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Formats of its files. */
        fileFormats?: string[] | null;
        /** @description Whole path or address of it. */
        fullPath?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description Number of objects in it. */
        numberOfObjects?: number | null;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The container that it stands in. */
        parent?: Schemas['ReferenceInput'] | null;
        /** @description Path below its parent. */
        prefix?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Size in bytes. */
        size?: number | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDashboard: {
        /** @description The charts that it shows. */
        charts?: Schemas['ReferenceInput'][] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /**
         * @description What sort of dashboard it is.
         * @example Dashboard
         * @example Report
         */
        dashboardType?: string | null;
        dataModels?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Project or folder that it stands in. */
        project?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDashboardService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomDashboard
         * @example Domo
         * @example Grafana
         * @example Hex
         * @example Lightdash
         * @example Looker
         * @example Metabase
         * @example MicroStrategy
         * @example Mode
         * @example PowerBI
         * @example QlikSense
         * @example QuickSight
         * @example Redash
         * @example Sigma
         * @example Superset
         * @example Tableau
         * @example ThoughtSpot
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDataContract: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        effectiveFrom?: (string | number) | null;
        effectiveUntil?: (string | number) | null;
        /** @description The asset that it is about. */
        entity: Schemas['ReferenceInput'];
        /**
         * @description Whether it is in force. Taken in any case.
         * @default Draft
         * @enum {string|null}
         */
        entityStatus?: "Draft" | "Active" | "Deprecated" | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Test cases that will pass. */
        qualityExpectations?: Schemas['ReferenceInput'][] | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description The columns or fields that the asset will have. */
        schema?: Schemas['ContractColumnInput'][] | null;
        /** @description Who may see what, and how it is protected. */
        security?: {
            [key: string]: unknown;
        } | null;
        /** @description Rules that the asset will keep. */
        semantics?: {
            description?: string | null;
            enabled?: boolean | null;
            name: string;
            rule?: string | null;
        }[] | null;
        /** @description Service levels: refreshFrequency as an ISO 8601 duration, latency, availability, and others. */
        sla?: ({
            availability?: number | null;
            latency?: string | number | null;
            refreshFrequency?: string | null;
        } & {
            [key: string]: unknown;
        }) | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What users must keep to, in Markdown. */
        termsOfUse?: string | null;
    };
    CreateDataProduct: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Who knows most about it. */
        experts?: Schemas['ReferenceInput'][] | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        lifecycleStage?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDatabase: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        default?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDatabaseSchema: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What the entity belongs to. */
        database: Schemas['ReferenceInput'];
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDatabaseService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example Athena
         * @example AzureSQL
         * @example BigQuery
         * @example Cassandra
         * @example Clickhouse
         * @example Cockroach
         * @example CustomDatabase
         * @example Databricks
         * @example Datalake
         * @example Db2
         * @example DeltaLake
         * @example DynamoDB
         * @example Glue
         * @example Greenplum
         * @example Hive
         * @example Iceberg
         * @example Impala
         * @example MariaDB
         * @example MongoDB
         * @example Mssql
         * @example Mysql
         * @example Oracle
         * @example Postgres
         * @example Presto
         * @example Redshift
         * @example SapHana
         * @example SQLite
         * @example Snowflake
         * @example Teradata
         * @example Trino
         * @example UnityCatalog
         * @example Vertica
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateDomain: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /**
         * @description What its data is for.
         * @default Aggregate
         * @example Source-aligned
         * @example Consumer-aligned
         * @example Aggregate
         */
        domainType?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Who knows most about it. */
        experts?: Schemas['ReferenceInput'][] | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The domain that it is a part of. */
        parent?: Schemas['ReferenceInput'] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateGlossary: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description At most one of its terms may stand on the same thing. */
        mutuallyExclusive?: boolean | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        provider?: unknown | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateGlossaryTerm: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description What the entity belongs to. */
        glossary: Schemas['ReferenceInput'];
        /** @description At most one of its children may stand on the same thing. */
        mutuallyExclusive?: boolean | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The term above it. */
        parent?: Schemas['ReferenceInput'] | null;
        provider?: unknown | null;
        /** @description Where more is said about it. */
        references?: {
            endpoint?: string | null;
            name: string;
        }[] | null;
        /** @description Terms that belong to it in some way. */
        relatedTerms?: Schemas['ReferenceInput'][] | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Other words for it. */
        synonyms?: string[] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateLineage: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description The asset that it is about. */
        entity: Schemas['ReferenceInput'];
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateMessagingService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomMessaging
         * @example Kafka
         * @example Kinesis
         * @example NATS
         * @example PubSub
         * @example Pulsar
         * @example RabbitMQ
         * @example Redpanda
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateMlmodel: {
        /** @description How it learns. */
        algorithm?: string | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description Where its performance is shown. */
        dashboard?: Schemas['ReferenceInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description What it learns from. */
        mlFeatures?: Schemas['MlFeatureInput'][] | null;
        /** @description How it was set up. */
        mlHyperParameters?: {
            description?: string | null;
            name: string;
            value?: string | null;
        }[] | null;
        /** @description Where it is kept. */
        mlStore?: {
            imageRepository?: string | null;
            storage?: string | null;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is served. */
        server?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What it predicts. */
        target?: string | null;
    };
    CreateMlmodelService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomMlModel
         * @example Mlflow
         * @example SageMaker
         * @example Sklearn
         * @example VertexAI
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreatePipeline: {
        /** @description Runs that there may be at a time. */
        concurrency?: number | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Where its code is, kept as its loader sends it. */
        pipelineLocation?: string | null;
        /** @description When it runs: a cron expression, or words such as @daily. */
        scheduleInterval?: string | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description From when on it is scheduled: a day or an instant. */
        startDate?: string | null;
        /** @description Whether it is scheduled, such as Active or Inactive, kept as its loader sends it. */
        state?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description Its steps. */
        tasks?: Schemas['PipelineTaskInput'][] | null;
    };
    CreatePipelineService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example Airbyte
         * @example Airflow
         * @example CustomPipeline
         * @example DBTCloud
         * @example Dagster
         * @example Fivetran
         * @example Flink
         * @example GluePipeline
         * @example Nifi
         * @example OpenLineage
         * @example Prefect
         * @example Spark
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateQuery: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        cost?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description How long it took, in seconds. */
        duration?: number | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        exclude_usage?: unknown | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description The statement. */
        query: string;
        queryDate?: (string | number) | null;
        /** @description The tables that it reads. */
        queryUsedIn?: Schemas['ReferenceInput'][] | null;
        query_type?: unknown | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        triggeredBy?: unknown | null;
        usedBy?: unknown | null;
        users?: unknown | null;
    };
    CreateSearchIndex: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description The fields of its documents. */
        fields?: Schemas['SearchIndexFieldInput'][] | null;
        /**
         * @description What sort of index it is.
         * @example Index
         * @example DataStream
         */
        indexType?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Settings of the index. */
        searchIndexSettings?: {
            [key: string]: unknown;
        } | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateSearchService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomSearch
         * @example ElasticSearch
         * @example OpenSearch
         * @example Solr
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateStorageService: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example ADLS
         * @example CustomStorage
         * @example GCS
         * @example S3
         */
        serviceType: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateStoredProcedure: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What the entity belongs to. */
        databaseSchema: Schemas['ReferenceInput'];
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description What it does. */
        storedProcedureCode: {
            code: string;
            /**
             * @example SQL
             * @example Java
             * @example JavaScript
             * @example Python
             * @example Scala
             * @example External
             */
            language?: string | null;
        };
        /**
         * @description What sort of procedure it is.
         * @example StoredProcedure
         * @example UDF
         * @example StoredPackage
         * @example Function
         */
        storedProcedureType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateTable: {
        /** @description The columns, in order. */
        columns?: Schemas['ColumnInput'][] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        dataModel?: unknown | null;
        /** @description What the entity belongs to. */
        databaseSchema: Schemas['ReferenceInput'];
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description What its files are written in, kept as its loader sends it. */
        fileFormat?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Where its files are, kept as its loader sends it. */
        locationPath?: string | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description The statement that defines it, such as a view’s query. */
        schemaDefinition?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Constraints over several columns, and to other tables. */
        tableConstraints?: {
            columns: string[];
            /**
             * @example UNIQUE
             * @example PRIMARY_KEY
             * @example FOREIGN_KEY
             * @example SORT_KEY
             * @example DIST_KEY
             * @example CLUSTER_KEY
             */
            constraintType: string;
            referredColumns?: string[] | null;
            /**
             * @example ONE_TO_ONE
             * @example ONE_TO_MANY
             * @example MANY_TO_ONE
             * @example MANY_TO_MANY
             */
            relationshipType?: string | null;
        }[] | null;
        /** @description How it is partitioned, kept as its loader sends it. */
        tablePartition?: {
            [key: string]: unknown;
        } | null;
        tableProfilerConfig?: unknown | null;
        /**
         * @description What sort of table it is.
         * @default Regular
         * @example Regular
         * @example External
         * @example Dynamic
         * @example View
         * @example SecureView
         * @example MaterializedView
         * @example Iceberg
         * @example Local
         * @example Partitioned
         * @example Foreign
         * @example Transient
         * @example Stream
         * @example Stage
         * @example Temporary
         */
        tableType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description How much it is used. */
        usageSummary?: {
            dailyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
            date?: string | null;
            monthlyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
            weeklyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
        } | null;
    };
    CreateTag: {
        associatedTags?: unknown | null;
        autoClassificationEnabled?: unknown | null;
        autoClassificationPriority?: unknown | null;
        /** @description What the entity belongs to. */
        classification: Schemas['ReferenceInput'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Not to be used any more. */
        disabled?: boolean | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description At most one of its children may stand on the same thing. */
        mutuallyExclusive?: boolean | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The tag above it. */
        parent?: Schemas['ReferenceInput'] | null;
        provider?: unknown | null;
        recognizers?: unknown | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    CreateTeam: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        defaultRoles?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description E-mail address. */
        email?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        isJoinable?: unknown | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The teams that it is a part of. */
        parents?: Schemas['ReferenceInput'][] | null;
        policies?: unknown | null;
        profile?: unknown | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /**
         * @description What sort of team it is.
         * @default Group
         * @example Organization
         * @example BusinessUnit
         * @example Division
         * @example Department
         * @example Group
         */
        teamType?: string | null;
    };
    CreateTestCase: {
        computePassedFailedRowCount?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        createdBy?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        dimensionColumns?: unknown | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description What it tests: <#E::table::FQN> or <#E::table::FQN::columns::COLUMN>. */
        entityLink: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Opened by a failure; resolved by a success, or by whoever says so here. When it was opened, and when and by whom it was resolved, is told by the catalog; what a request says of that is ignored. */
        incident?: {
            note?: string | null;
            openedAt?: number | null;
            resolvedAt?: number | null;
            resolvedBy?: string | null;
            resolvedUpTo?: number | null;
            /**
             * @description Taken in any case.
             * @enum {string}
             */
            status: "Open" | "Resolved";
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Values of the definition’s parameters. */
        parameterValues?: {
            name: string;
            value: string;
        }[] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description How it tests. */
        testDefinition: Schemas['ReferenceInput'];
        /** @description The suite that it is run with. */
        testSuite: Schemas['ReferenceInput'];
        topDimensions?: unknown | null;
        useDynamicAssertion?: unknown | null;
    };
    CreateTestDefinition: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /**
         * @description The dimension of quality that it looks at.
         * @example Completeness
         * @example Accuracy
         * @example Consistency
         * @example Validity
         * @example Uniqueness
         * @example Integrity
         * @example SQL
         */
        dataQualityDimension?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        enabled?: unknown | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /**
         * @description What it tests. Taken in any case.
         * @enum {string|null}
         */
        entityType?: "TABLE" | "COLUMN" | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description What a test case must or may say. */
        parameterDefinition?: {
            /**
             * @example NUMBER
             * @example INT
             * @example FLOAT
             * @example DOUBLE
             * @example DECIMAL
             * @example TIMESTAMP
             * @example DATE
             * @example STRING
             * @example ARRAY
             * @example SET
             * @example BOOLEAN
             */
            dataType?: string | null;
            description?: string | null;
            displayName?: string | null;
            name: string;
            optionValues?: unknown | null;
            required?: boolean | null;
            validationRule?: unknown | null;
        }[] | null;
        provider?: unknown | null;
        sqlExpression?: unknown | null;
        /** @description Data types of columns that it can test. */
        supportedDataTypes?: Schemas['ColumnDataType'][] | null;
        supportedServices?: unknown | null;
        supportsDynamicAssertion?: unknown | null;
        supportsRowLevelPassedFailed?: unknown | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What can run it. */
        testPlatforms?: string[] | null;
        validatorClass?: unknown | null;
    };
    CreateTestSuite: {
        basicEntityReference?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        dataContract?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        executableEntityReference?: unknown | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A token for a program. */
    CreateToken: {
        /**
         * @description How long it is valid
         * @default 365
         */
        days?: number;
        /** @description Name of the program, which becomes a user with isBot and the author of its changes */
        name: string;
        /** @description Roles that the caller can grant: nobody can grant more than they have */
        roles: string[];
    };
    CreateTopic: {
        /** @description How old messages go. */
        cleanupPolicies?: string[] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Largest message, in bytes. */
        maximumMessageSize?: number | null;
        /** @description The schema of its messages. Fields are read from Avro, JSON Schema and Protobuf texts. */
        messageSchema?: Schemas['SchemaInput'] | null;
        /** @description Copies that must have a message before it is acknowledged. */
        minimumInSyncReplicas?: number | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Number of partitions.
         * @default 1
         */
        partitions?: number | null;
        /** @description Number of copies. */
        replicationFactor?: number | null;
        /**
         * @description Size at which messages go, in bytes; -1: unlimited.
         * @default -1
         */
        retentionSize?: number | null;
        /** @description How long messages stay, in milliseconds; -1: for ever. */
        retentionTime?: number | null;
        /** @description What the entity belongs to. */
        service: Schemas['ReferenceInput'];
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description Further settings of the platform. */
        topicConfig?: {
            [key: string]: unknown;
        } | null;
    };
    CreateUser: {
        botName?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        createPasswordType?: unknown | null;
        defaultPersona?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description One of domains. */
        domain?: Schemas['ReferenceInput'] | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description E-mail address. */
        email?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        externalId?: unknown | null;
        /** @description Administers the catalog. Says nothing about permissions: roles do. */
        isAdmin?: boolean | null;
        /** @description A program. Of a user who exists only people with the permission `manage` change it. */
        isBot?: boolean | null;
        name: string;
        /** @description One of owners. */
        owner?: Schemas['ReferenceInput'] | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        personas?: unknown | null;
        /** @description What user interfaces show of them. */
        profile?: {
            [key: string]: unknown;
        } | null;
        roles?: unknown | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description The teams that they are in. */
        teams?: Schemas['ReferenceInput'][] | null;
        timezone?: unknown | null;
    };
    /** @description A dashboard of a dashboard service. */
    Dashboard: {
        changeDescription?: Schemas['ChangeDescription'];
        /** @description The charts that it shows. */
        charts?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /**
         * @description What sort of dashboard it is.
         * @example Dashboard
         * @example Report
         */
        dashboardType?: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        dataModels?: unknown;
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Project or folder that it stands in. */
        project?: string;
        provenance?: Schemas['Provenance'];
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    DashboardFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with this chart */
        chart?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, charts, dataModels, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of dashboards. */
    DashboardList: {
        data: Schemas['Dashboard'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DashboardPatch: {
        /** @description The charts that it shows. */
        charts?: Schemas['ReferenceInput'][] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /**
         * @description What sort of dashboard it is.
         * @example Dashboard
         * @example Report
         */
        dashboardType?: string | null;
        dataModels?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Project or folder that it stands in. */
        project?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description A platform that holds dashboards. */
    DashboardService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example CustomDashboard
         * @example Domo
         * @example Grafana
         * @example Hex
         * @example Lightdash
         * @example Looker
         * @example Metabase
         * @example MicroStrategy
         * @example Mode
         * @example PowerBI
         * @example QlikSense
         * @example QuickSight
         * @example Redash
         * @example Sigma
         * @example Superset
         * @example Tableau
         * @example ThoughtSpot
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    DashboardServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/dashboardServices. */
    DashboardServiceList: {
        data: Schemas['DashboardService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DashboardServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomDashboard
         * @example Domo
         * @example Grafana
         * @example Hex
         * @example Lightdash
         * @example Looker
         * @example Metabase
         * @example MicroStrategy
         * @example Mode
         * @example PowerBI
         * @example QlikSense
         * @example QuickSight
         * @example Redash
         * @example Sigma
         * @example Superset
         * @example Tableau
         * @example ThoughtSpot
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    DashboardServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['DashboardService'][];
    };
    /** @description Versions of one entity, newest first. */
    DashboardVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Dashboard'][];
    };
    /** @description What the owners of an asset promise about it. */
    DataContract: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description When it is to begin: an instant or a day. Nothing begins by itself. */
        effectiveFrom?: string | number;
        /** @description When it is to end. Nothing ends by itself. */
        effectiveUntil?: string | number;
        /** @description The asset that it is about. */
        entity?: Schemas['EntityReference'];
        /**
         * @description Whether it is in force. Taken in any case.
         * @default Draft
         * @enum {string}
         */
        entityStatus?: "Draft" | "Active" | "Deprecated";
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description It is that of the asset’s data product. */
        inherited?: boolean;
        /** @description How the newest validation went. */
        latestResult?: {
            [key: string]: unknown;
        };
        /** @description The contract or its asset has another version than the newest validation was about. */
        latestResultStale?: boolean;
        name: string;
        /** @description The imported ODCS document. */
        odcs?: {
            [key: string]: unknown;
        };
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description Test cases that will pass. */
        qualityExpectations?: Schemas['EntityReference'][];
        /** @description Quality rules of the imported document, each with its place in it. Those of columns that are no more in schema do not count. */
        qualityRules?: {
            [key: string]: unknown;
        }[];
        /** @description Who reviews changes. */
        reviewers?: Schemas['EntityReference'][];
        /** @description The columns or fields that the asset will have. */
        schema?: Schemas['ContractColumn'][];
        /** @description Who may see what, and how it is protected. */
        security?: {
            [key: string]: unknown;
        };
        /** @description Rules that the asset will keep. */
        semantics?: {
            description?: string;
            enabled?: boolean;
            name: string;
            rule?: string;
        }[];
        /** @description Service levels: refreshFrequency as an ISO 8601 duration, latency, availability, and others. */
        sla?: {
            availability?: number;
            latency?: string | number;
            refreshFrequency?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description What users must keep to, in Markdown. */
        termsOfUse?: string;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    DataContractFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entity */
        entity?: string;
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, reviewers, odcs, latestResultStale, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this qualityExpectation */
        qualityExpectation?: string;
        /** @description Only those with this reviewer */
        reviewer?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /**
         * @description Only those whose newest validation ended so; none: those that were never validated
         * @enum {string}
         */
        validation?: "Success" | "PartialSuccess" | "Failed" | "Aborted" | "Queued" | "Running" | "none";
    };
    /** @description One page of the list of dataContracts. */
    DataContractList: {
        data: Schemas['DataContract'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DataContractPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        effectiveFrom?: (string | number) | null;
        effectiveUntil?: (string | number) | null;
        /**
         * @description Whether it is in force. Taken in any case.
         * @default Draft
         * @enum {string|null}
         */
        entityStatus?: "Draft" | "Active" | "Deprecated" | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Test cases that will pass. */
        qualityExpectations?: Schemas['ReferenceInput'][] | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description The columns or fields that the asset will have. */
        schema?: Schemas['ContractColumnInput'][] | null;
        /** @description Who may see what, and how it is protected. */
        security?: {
            [key: string]: unknown;
        } | null;
        /** @description Rules that the asset will keep. */
        semantics?: {
            description?: string | null;
            enabled?: boolean | null;
            name: string;
            rule?: string | null;
        }[] | null;
        /** @description Service levels: refreshFrequency as an ISO 8601 duration, latency, availability, and others. */
        sla?: ({
            availability?: number | null;
            latency?: string | number | null;
            refreshFrequency?: string | null;
        } & {
            [key: string]: unknown;
        }) | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What users must keep to, in Markdown. */
        termsOfUse?: string | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    DataContractVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['DataContract'][];
    };
    DataModel: {
        columns?: Schemas['Column'][];
        isPartitioned?: boolean;
    };
    DataModelInput: {
        columns?: Schemas['ColumnInput'][] | null;
        isPartitioned?: boolean | null;
    };
    /** @description Data assets that are offered together. */
    DataProduct: {
        /** @description The data assets of the product. */
        assets?: Schemas['EntityReference'][];
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        domain?: Schemas['EntityReference'];
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Who knows most about it. */
        experts?: Schemas['EntityReference'][];
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Data assets that the product reads. */
        inputPorts?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        lifecycleStage?: unknown;
        name: string;
        /** @description Data assets that the product offers. */
        outputPorts?: Schemas['EntityReference'][];
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        };
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    DataProductFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with this asset */
        asset?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Only those with this expert */
        expert?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, experts, lifecycleStage, followers, assets, inputPorts, outputPorts, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Only those with this inputPort */
        inputPort?: string;
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this outputPort */
        outputPort?: string;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of dataProducts. */
    DataProductList: {
        data: Schemas['DataProduct'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DataProductPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Who knows most about it. */
        experts?: Schemas['ReferenceInput'][] | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        lifecycleStage?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    DataProductVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['DataProduct'][];
    };
    /** @description A database of a database service. */
    Database: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        default?: unknown;
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string;
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    DatabaseFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, default, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of databases. */
    DatabaseList: {
        data: Schemas['Database'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DatabasePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        default?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description A schema of a database. */
    DatabaseSchema: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        /** @description What the entity belongs to. */
        database?: Schemas['EntityReference'];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string;
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    DatabaseSchemaFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with this database */
        database?: string;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of databaseSchemas. */
    DatabaseSchemaList: {
        data: Schemas['DatabaseSchema'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DatabaseSchemaPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    DatabaseSchemaVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['DatabaseSchema'][];
    };
    /** @description A platform that holds databases. */
    DatabaseService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example Athena
         * @example AzureSQL
         * @example BigQuery
         * @example Cassandra
         * @example Clickhouse
         * @example Cockroach
         * @example CustomDatabase
         * @example Databricks
         * @example Datalake
         * @example Db2
         * @example DeltaLake
         * @example DynamoDB
         * @example Glue
         * @example Greenplum
         * @example Hive
         * @example Iceberg
         * @example Impala
         * @example MariaDB
         * @example MongoDB
         * @example Mssql
         * @example Mysql
         * @example Oracle
         * @example Postgres
         * @example Presto
         * @example Redshift
         * @example SapHana
         * @example SQLite
         * @example Snowflake
         * @example Teradata
         * @example Trino
         * @example UnityCatalog
         * @example Vertica
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    DatabaseServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/databaseServices. */
    DatabaseServiceList: {
        data: Schemas['DatabaseService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DatabaseServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example Athena
         * @example AzureSQL
         * @example BigQuery
         * @example Cassandra
         * @example Clickhouse
         * @example Cockroach
         * @example CustomDatabase
         * @example Databricks
         * @example Datalake
         * @example Db2
         * @example DeltaLake
         * @example DynamoDB
         * @example Glue
         * @example Greenplum
         * @example Hive
         * @example Iceberg
         * @example Impala
         * @example MariaDB
         * @example MongoDB
         * @example Mssql
         * @example Mysql
         * @example Oracle
         * @example Postgres
         * @example Presto
         * @example Redshift
         * @example SapHana
         * @example SQLite
         * @example Snowflake
         * @example Teradata
         * @example Trino
         * @example UnityCatalog
         * @example Vertica
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    DatabaseServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['DatabaseService'][];
    };
    /** @description Versions of one entity, newest first. */
    DatabaseVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Database'][];
    };
    DeadLetter: {
        attempts: number;
        error: string;
        /** Format: uuid */
        eventId: string;
        position: string;
        /** @description ******** where you may not view all of the kind */
        subject: string;
        /** Format: date-time */
        time: string;
        type: string;
    };
    DeadLetterList: {
        data: Schemas['DeadLetter'][];
        paging: {
            after?: string;
            total: number;
        };
    };
    Dependency: {
        /** @enum {string} */
        status: "up" | "down";
    };
    /** @description In the format given by `form` */
    Difference: Schemas['JsonPatch'] | Schemas['MembersDifference'] | Schemas['DifferenceInWords'];
    /** @description The change in a sentence */
    DifferenceInWords: {
        sentence: string;
    };
    /** @description An area of an organization that is responsible for its data. */
    Domain: {
        changeDescription?: Schemas['ChangeDescription'];
        children?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /**
         * @description What its data is for.
         * @default Aggregate
         * @example Source-aligned
         * @example Consumer-aligned
         * @example Aggregate
         */
        domainType?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Who knows most about it. */
        experts?: Schemas['EntityReference'][];
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description The domain that it is a part of. */
        parent?: Schemas['EntityReference'];
        provenance?: Schemas['Provenance'];
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        };
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    DomainFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Only those with this expert */
        expert?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, experts, followers, children, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only those with this parent */
        parent?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of domains. */
    DomainList: {
        data: Schemas['Domain'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    DomainPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /**
         * @description What its data is for.
         * @default Aggregate
         * @example Source-aligned
         * @example Consumer-aligned
         * @example Aggregate
         */
        domainType?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Who knows most about it. */
        experts?: Schemas['ReferenceInput'][] | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    DomainVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Domain'][];
    };
    /** @description Another entity. */
    EntityReference: {
        deleted: boolean;
        displayName?: string;
        fullyQualifiedName: string;
        /** Format: uuid */
        id: string;
        name: string;
        type: string;
    };
    /** @description Events in log order, and the position to continue from. */
    EventPage: {
        data: Schemas['CloudEvent'][];
        paging: {
            /** @description Position to continue from */
            after: string;
            /** @description The same, with a mark of the event there, so that a replaced log is detected */
            mark: string;
        };
    };
    EventSchemaEntry: {
        /** @description What a CloudEvent names it by; the `$id` of the schema */
        dataschema: string;
        /** @description Where the schema is */
        href: string;
        /** @description `type` of the CloudEvents */
        type: string;
    };
    EventSchemaList: {
        data: Schemas['EventSchemaEntry'][];
    };
    FeatureSource: {
        dataSource?: unknown;
        /**
         * @example integer
         * @example date
         * @example timestamp
         */
        dataType?: string;
        description?: string;
        fullyQualifiedName?: string;
        name: string;
        tags?: Schemas['TagLabel'][];
    };
    FeatureSourceInput: {
        dataSource?: unknown | null;
        /**
         * @example integer
         * @example date
         * @example timestamp
         */
        dataType?: string | null;
        description?: string | null;
        fullyQualifiedName?: string | null;
        name: string;
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description What was erased of an entity */
    Forgotten: {
        /** @description Names of the members that are erased, now and in the past */
        erased: string[];
        fullyQualifiedName: string;
        /** Format: uuid */
        id: string;
    };
    /** @description A vocabulary of an organization. */
    Glossary: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description At most one of its terms may stand on the same thing. */
        mutuallyExclusive?: boolean;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description Kept as its loader sends it; an empty list is none. */
        provider?: unknown;
        /** @description Who reviews changes. */
        reviewers?: Schemas['EntityReference'][];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        termCount?: number;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    GlossaryFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, reviewers, provider, followers, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this reviewer */
        reviewer?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of glossaries. */
    GlossaryList: {
        data: Schemas['Glossary'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    GlossaryPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description At most one of its terms may stand on the same thing. */
        mutuallyExclusive?: boolean | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        provider?: unknown | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description A term of a glossary. */
    GlossaryTerm: {
        changeDescription?: Schemas['ChangeDescription'];
        children?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        /** @description What the entity belongs to. */
        glossary?: Schemas['EntityReference'];
        href: string;
        /** Format: uuid */
        id: string;
        /** @description At most one of its children may stand on the same thing. */
        mutuallyExclusive?: boolean;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description The term above it. */
        parent?: Schemas['EntityReference'];
        provenance?: Schemas['Provenance'];
        /** @description Kept as its loader sends it; an empty list is none. */
        provider?: unknown;
        /** @description Where more is said about it. */
        references?: {
            endpoint?: string;
            name: string;
        }[];
        /** @description Terms that belong to it in some way. */
        relatedTerms?: Schemas['EntityReference'][];
        /** @description Who reviews changes. */
        reviewers?: Schemas['EntityReference'][];
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        };
        /** @description Other words for it. */
        synonyms?: string[];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    GlossaryTermFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, reviewers, provider, followers, children, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Only those with this glossary */
        glossary?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only those directly below this parent; or, with the name of the glossary, those directly below that */
        parent?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this relatedTerm */
        relatedTerm?: string;
        /** @description Only those with this reviewer */
        reviewer?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of glossaryTerms. */
    GlossaryTermList: {
        data: Schemas['GlossaryTerm'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    GlossaryTermPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description At most one of its children may stand on the same thing. */
        mutuallyExclusive?: boolean | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        provider?: unknown | null;
        /** @description Where more is said about it. */
        references?: {
            endpoint?: string | null;
            name: string;
        }[] | null;
        /** @description Terms that belong to it in some way. */
        relatedTerms?: Schemas['ReferenceInput'][] | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Other words for it. */
        synonyms?: string[] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    GlossaryTermVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['GlossaryTerm'][];
    };
    /** @description Versions of one entity, newest first. */
    GlossaryVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Glossary'][];
    };
    /** @description One page of the events of an entity. */
    History: {
        data: Schemas['HistoryEvent'][];
        paging: {
            after?: string;
            /** @description Number of events; absent with filters, and where only owners may see them */
            total?: number;
        };
    };
    /** @description Something that happened to an entity. */
    HistoryEvent: {
        causationId: string;
        clientCorrelationId?: string;
        correlationId: string;
        data: {
            [key: string]: unknown;
        };
        /** @description SHA-256 of the event as stored, in hex: the entry of its leaf in the tree */
        hash: string;
        /** Format: uuid */
        id: string;
        /** @description The index of its leaf in the tree: the number of events before it in the log. Absent while the tree of a log in EventStoreDB is being built */
        leafIndex?: number;
        /**
         * Format: date-time
         * @description The time of the machine, if the log was ahead of it
         */
        machineTime?: string;
        position: string;
        /** @description `hash` of the event before it */
        previousHash?: string;
        /** @description The proposal that was accepted with it, and its author */
        proposal?: {
            amended?: boolean;
            /** Format: uuid */
            id: string;
            proposer: string;
        };
        revision: string;
        /** Format: date-time */
        time: string;
        type: string;
        user: string;
        version: number;
    };
    /** @description What a change would break, before it is made */
    Impact: {
        /** @description What the change affects, nearest first, starting with the entity itself */
        assets: {
            /** @description Absent: lineage has no columns */
            columns?: string[];
            /** @description Its own contract; `columns`: those reached that it promises */
            contract?: {
                columns?: string[];
                deleted?: boolean;
                displayName?: string;
                entityStatus?: string;
                fullyQualifiedName?: string;
                /** Format: uuid */
                id?: string;
                name?: string;
                type?: string;
            };
            deleted?: boolean;
            /** @description Steps from the requested asset; negative is upstream */
            depth: number;
            displayName?: string;
            fullyQualifiedName?: string;
            /** @description A UUID; for an asset that the caller may not view, one of no use to others */
            id: string;
            /** @description Absent, like all details, if the caller may not view it */
            name?: string;
            owners?: {
                deleted?: boolean;
                displayName?: string;
                fullyQualifiedName?: string;
                /** Format: uuid */
                id?: string;
                name?: string;
                type?: string;
            }[];
            /** @description Tests of the assets that are reached */
            tests?: {
                deleted?: boolean;
                displayName?: string;
                fullyQualifiedName?: string;
                /** Format: uuid */
                id?: string;
                name?: string;
                type?: string;
            }[];
            type: string;
        }[];
        /** @description Whether a column or field would be removed or change its type */
        breaking: boolean;
        changes: {
            /** @enum {string} */
            change: "removed" | "typeChanged";
            column: string;
            from?: string;
            to?: string;
        }[];
        /** @description Whether it reaches more than is shown */
        truncated: boolean;
    };
    /** @description One page of the inbox of the caller, newest first. */
    Inbox: {
        data: {
            /** @description Names of the members that changed; of a creation domains and owners alone */
            changed: string[];
            /** @description `X-Correlation-ID` of the request, where it had one */
            clientCorrelationId?: string;
            /**
             * @description Why it is told: the entity is owned, or followed; a change of it is proposed, or a proposal decided on; what it is tested or promised failed; it was to be confirmed by its owners, and was not
             * @enum {string}
             */
            concern: "owned" | "followed" | "proposed" | "failed" | "due";
            /** @description Id of the request or recursive operation */
            correlationId: string;
            /** @description FQNs of the domains that the entity had just before or just after */
            domains: string[];
            /** @description What it was done to, as it is now (`deleted` also when it was hard-deleted); where the caller may no longer view it, as the event says */
            entity: {
                deleted: boolean;
                displayName?: string;
                fullyQualifiedName: string;
                /** Format: uuid */
                id: string;
                name: string;
                type: string;
            };
            /** @description Name of the user who follows the entity from then on (`FollowerAdded`), or no more (`FollowerRemoved`) */
            follower?: string;
            /** @description Log position */
            position: string;
            /**
             * Format: uuid
             * @description The proposal, of which `entity` is what it is about
             */
            proposal?: string;
            read: boolean;
            /** @description The change in a sentence */
            summary: string;
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            type: "Created" | "Updated" | "SoftDeleted" | "Restored" | "HardDeleted" | "Voted" | "FollowerAdded" | "FollowerRemoved" | "AssetsAdded" | "AssetsRemoved" | "PortsAdded" | "PortsRemoved" | "Validated" | "Confirmed" | "FellDue" | "LineageStated" | "RunReported" | "Forgotten" | "KeyChanged" | "PoliciesChanged";
            /** @description Who did it */
            user: string;
            /** @description Version of the entity after it */
            version: number;
            /**
             * @description The vote that the user has from then on (`Voted`)
             * @enum {string}
             */
            vote?: "votedUp" | "votedDown" | "unVoted";
        }[];
        paging: {
            after?: string;
        };
        /** @description Entries that are not read, at most 100 */
        unread: number;
    };
    InboxDelivery: {
        /** @enum {string} */
        channel: "email" | "slack" | "teams" | "webhook";
        /** @description What is sent */
        concerns: ("owned" | "followed" | "proposed" | "failed" | "due")[];
        enabled: boolean;
        endpoint?: string;
        /** @description Signs what `webhook` is sent; in the answer to its creation alone */
        secret?: string;
        status: {
            deadLetters: number;
            /** @description Distance to the end of the log, in positions */
            lag: string;
            lastError?: {
                attempts: number;
                message: string;
                position: string;
                /** Format: date-time */
                time: string;
            };
            lastSuccess?: {
                position: string;
                status: number;
                /** Format: date-time */
                time: string;
            };
            /** @description Everything up to here was delivered, became a dead letter or does not match */
            position: string;
            /** @description If its checkpoint did not match the log, so that it continued from the end; position: the former */
            restarted?: {
                message: string;
                position: string;
                /** Format: date-time */
                time: string;
            };
            /** @enum {string} */
            state: "disabled" | "failing" | "delivering" | "upToDate";
        };
        /**
         * @description daily: new entries are sent together, after 7:00 UTC
         * @enum {string}
         */
        when: "atOnce" | "daily";
    };
    InboxDeliveryList: {
        data: Schemas['InboxDelivery'][];
        /** @description Whether there is a mail server */
        mail: boolean;
    };
    /** @description A notification channel. */
    InboxDeliveryRequest: {
        /**
         * @description What is sent
         * @default [
         *       "owned",
         *       "followed",
         *       "proposed",
         *       "failed",
         *       "due"
         *     ]
         */
        concerns?: ("owned" | "followed" | "proposed" | "failed" | "due")[];
        /** @default true */
        enabled?: boolean;
        /** @description The URL to post to; none for email. Default: unchanged */
        endpoint?: string;
        /**
         * @description daily: new entries are sent together, after 7:00 UTC
         * @default atOnce
         * @enum {string}
         */
        when?: "atOnce" | "daily";
    };
    /** @enum {string} */
    Include: "non-deleted" | "deleted" | "all";
    /** @description Proves that the event is in the log of that size and root */
    InclusionProof: {
        /** @description Hash of the event, in hex: these 64 digits are the entry of the leaf */
        hash: string;
        /** @description SHA-256 hashes, lowest first, as RFC 9162 orders them */
        hashes: string[];
        /**
         * Format: base64
         * @description SHA-256 of a zero byte and the entry
         */
        leafHash: string;
        /** @description Number of events before it */
        leafIndex: number;
        /** @description Log position of the event */
        position: string;
        /** Format: base64 */
        rootHash: string;
        treeSize: number;
    };
    /** @description JSON Patch (RFC 6902): done in order, all or nothing. It applies to what a read shows whose `fields` name its members: lists are there, empty or not. */
    JsonPatch: Schemas['JsonPatchOperation'][];
    /** @description One step of a JSON Patch. */
    JsonPatchOperation: {
        /** @description JSON Pointer, for move and copy */
        from?: string;
        /** @enum {string} */
        op: "add" | "remove" | "replace" | "move" | "copy" | "test";
        /** @description JSON Pointer (RFC 6901) */
        path: string;
        /** @description For add, replace and test */
        value?: unknown;
    } & {
        [key: string]: unknown;
    };
    JsonSchema: {
        $id: string;
    } & {
        [key: string]: unknown;
    };
    /** @description Where the data of one asset comes from, as sources state it: /v1/lineage has the edges, this their history. */
    Lineage: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description The asset that it is about. */
        entity?: Schemas['EntityReference'];
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    /** @description Edges that were added, removed or changed */
    LineageDifference: {
        added: Schemas['LineageGraphEdge'][];
        changed: Schemas['LineageGraphEdge'][];
        from: string;
        nodes: Schemas['LineageNode'][];
        removed: Schemas['LineageGraphEdge'][];
        to: string;
    };
    LineageFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entity */
        entity?: string;
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description Assets, nearest first, and the edges between them */
    LineageGraph: {
        edges: Schemas['LineageGraphEdge'][];
        nodes: Schemas['LineageNode'][];
        paging: {
            after?: string;
            asOf?: string;
            total: number;
            /** @description There is more than the limit allows */
            truncated: boolean;
        };
    };
    /** @description An edge: where data comes from, who stated it, and since when */
    LineageGraphEdge: {
        columns?: {
            from: string[];
            function?: string;
            to: string;
        }[];
        description?: string;
        /** @description Id of the upstream asset */
        from: string;
        /** @description Absent if it has been hard-deleted */
        pipeline?: {
            deleted?: boolean;
            displayName?: string;
            fullyQualifiedName?: string;
            /** @description A UUID; for an asset that the caller may not view, one of no use to others */
            id: string;
            /** @description Absent, like all details, if the caller may not view it */
            name?: string;
            type: string;
        };
        /** @description Inclusion proof of that statement */
        proof?: {
            [key: string]: unknown;
        };
        /** @description Absent if it has been hard-deleted */
        query?: {
            deleted?: boolean;
            displayName?: string;
            fullyQualifiedName?: string;
            /** @description A UUID; for an asset that the caller may not view, one of no use to others */
            id: string;
            /** @description Absent, like all details, if the caller may not view it */
            name?: string;
            type: string;
        };
        since: {
            correlationId?: string;
            /** @description Log position of the statement */
            position: string;
            /** Format: date-time */
            time?: string;
            user?: string;
        };
        source: string;
        sql?: string;
        /**
         * Format: date-time
         * @description When, as an event of a job without a run says
         */
        time?: string;
        /** @description Id of the downstream asset */
        to: string;
    };
    /** @description One page of the list of lineages. */
    LineageList: {
        data: Schemas['Lineage'][];
        paging: Schemas['Paging'];
    };
    /** @description An asset of a lineage */
    LineageNode: {
        deleted?: boolean;
        /** @description Steps from the requested asset; negative is upstream */
        depth: number;
        displayName?: string;
        fullyQualifiedName?: string;
        /** @description A UUID; for an asset that the caller may not view, one of no use to others */
        id: string;
        /** @description Absent, like all details, if the caller may not view it */
        name?: string;
        type: string;
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    LineagePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description All upstream edges of an asset from one source */
    LineageStatement: {
        edges: {
            columns?: {
                from: string[];
                function?: string;
                to: string;
            }[];
            description?: string;
            /** @description The upstream asset: its FQN, or {id, type} */
            from: Schemas['ReferenceInput'];
            pipeline?: Schemas['ReferenceInput'];
            query?: Schemas['ReferenceInput'];
            sql?: string;
        }[];
    };
    /** @description All upstream edges of assets of one kind from one source */
    LineageStatements: {
        edges: {
            columns?: {
                from: string[];
                function?: string;
                to: string;
            }[];
            description?: string;
            /** @description The upstream asset: its FQN, or {id, type} */
            from: Schemas['ReferenceInput'];
            pipeline?: Schemas['ReferenceInput'];
            query?: Schemas['ReferenceInput'];
            sql?: string;
        }[];
        /** @description Fully qualified name of the asset */
        entity: string;
    }[];
    /** @description How many changed something, and which were refused */
    LineageStatementsReceipt: {
        changed: number;
        failed: {
            entity: string;
            message: string;
        }[];
        processed: number;
    };
    /** @description Versions of one entity, newest first. */
    LineageVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Lineage'][];
    };
    /** @description The answer to a request of the Model Context Protocol (JSON-RPC 2.0). */
    McpAnswer: {
        error?: {
            code: number;
            message: string;
        } & {
            [key: string]: unknown;
        };
        id?: string | number;
        /** @constant */
        jsonrpc: "2.0";
        result?: {
            [key: string]: unknown;
        };
    } & {
        [key: string]: unknown;
    };
    /** @description A request or notification of the Model Context Protocol (JSON-RPC 2.0). */
    McpMessage: {
        /** @constant */
        jsonrpc: "2.0";
        method: string;
    } & {
        [key: string]: unknown;
    };
    Me: {
        /**
         * Format: uuid
         * @description Id of the user entity of the caller, which is created with the first write
         */
        id: string;
        /** @description Permissions on each kind; ifOwner: only on entities that the caller owns */
        kinds: {
            [key: string]: {
                /** @enum {string} */
                approve: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                bulk: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                create: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                delete: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                edit: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                feed: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                follow: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                forget: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                hardDelete: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                history: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                manage: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                propose: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                restore: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                search: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                versions: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                view: "yes" | "no" | "ifOwner";
                /** @enum {string} */
                vote: "yes" | "no" | "ifOwner";
            };
        };
        /** @description Permissions on at least one kind */
        may: {
            /** @enum {string} */
            approve: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            bulk: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            create: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            delete: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            edit: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            feed: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            follow: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            forget: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            hardDelete: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            history: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            manage: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            propose: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            restore: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            search: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            versions: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            view: "yes" | "no" | "ifOwner";
            /** @enum {string} */
            vote: "yes" | "no" | "ifOwner";
        };
        name: string;
        roles: string[];
        /**
         * Format: date-time
         * @description When the token or the session ends
         */
        until?: string;
        /** @description Reference to the user entity of the caller, which is created with the first write */
        user?: {
            [key: string]: unknown;
        };
    };
    /** @description Each member, or part of a member, that differs */
    MembersDifference: {
        fieldsAdded: {
            name?: string;
            newValue?: unknown;
            oldValue?: unknown;
        }[];
        fieldsDeleted: {
            name?: string;
            newValue?: unknown;
            oldValue?: unknown;
        }[];
        fieldsUpdated: {
            name?: string;
            newValue?: unknown;
            oldValue?: unknown;
        }[];
        /** @description Members whose values were erased, or cannot be read, in both: whether they differ is not known */
        unreadable?: string[];
    };
    /** @description A platform that holds topics. */
    MessagingService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example CustomMessaging
         * @example Kafka
         * @example Kinesis
         * @example NATS
         * @example PubSub
         * @example Pulsar
         * @example RabbitMQ
         * @example Redpanda
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    MessagingServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/messagingServices. */
    MessagingServiceList: {
        data: Schemas['MessagingService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    MessagingServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomMessaging
         * @example Kafka
         * @example Kinesis
         * @example NATS
         * @example PubSub
         * @example Pulsar
         * @example RabbitMQ
         * @example Redpanda
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    MessagingServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['MessagingService'][];
    };
    MlFeature: {
        /**
         * @description Taken in any case.
         * @enum {string}
         */
        dataType?: "numerical" | "categorical";
        description?: string;
        featureAlgorithm?: string;
        featureSources?: Schemas['FeatureSource'][];
        fullyQualifiedName?: string;
        name: string;
        tags?: Schemas['TagLabel'][];
    };
    MlFeatureInput: {
        /**
         * @description Taken in any case.
         * @enum {string|null}
         */
        dataType?: "numerical" | "categorical" | null;
        description?: string | null;
        featureAlgorithm?: string | null;
        featureSources?: Schemas['FeatureSourceInput'][] | null;
        fullyQualifiedName?: string | null;
        name: string;
        tags?: Schemas['TagInput'][] | null;
    };
    /** @description A machine learning model. */
    Mlmodel: {
        /** @description How it learns. */
        algorithm?: string;
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description Where its performance is shown. */
        dashboard?: Schemas['EntityReference'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        /** @description What it learns from. */
        mlFeatures?: Schemas['MlFeature'][];
        /** @description How it was set up. */
        mlHyperParameters?: {
            description?: string;
            name: string;
            value?: string;
        }[];
        /** @description Where it is kept. */
        mlStore?: {
            imageRepository?: string;
            storage?: string;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description Where it is served. */
        server?: string;
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description What it predicts. */
        target?: string;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    MlmodelFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with this dashboard */
        dashboard?: string;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of mlmodels. */
    MlmodelList: {
        data: Schemas['Mlmodel'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    MlmodelPatch: {
        /** @description How it learns. */
        algorithm?: string | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description Where its performance is shown. */
        dashboard?: Schemas['ReferenceInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description What it learns from. */
        mlFeatures?: Schemas['MlFeatureInput'][] | null;
        /** @description How it was set up. */
        mlHyperParameters?: {
            description?: string | null;
            name: string;
            value?: string | null;
        }[] | null;
        /** @description Where it is kept. */
        mlStore?: {
            imageRepository?: string | null;
            storage?: string | null;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Where it is served. */
        server?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What it predicts. */
        target?: string | null;
    } & {
        [key: string]: unknown;
    };
    /** @description A platform that holds machine learning models. */
    MlmodelService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example CustomMlModel
         * @example Mlflow
         * @example SageMaker
         * @example Sklearn
         * @example VertexAI
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    MlmodelServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/mlmodelServices. */
    MlmodelServiceList: {
        data: Schemas['MlmodelService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    MlmodelServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomMlModel
         * @example Mlflow
         * @example SageMaker
         * @example Sklearn
         * @example VertexAI
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    MlmodelServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['MlmodelService'][];
    };
    /** @description Versions of one entity, newest first. */
    MlmodelVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Mlmodel'][];
    };
    /** @description A new token; only this response shows it. */
    NewToken: {
        /** Format: date-time */
        createdAt: string;
        createdBy: string;
        /** Format: date-time */
        expiresAt: string;
        fullyQualifiedName: string;
        /** Format: uuid */
        id: string;
        name: string;
        roles: string[];
        /** @description For `Authorization: Bearer …` */
        token: string;
    };
    OdcsDocument: {
        [key: string]: unknown;
    };
    OdcsPreview: {
        /** @description The version of ODCS that the document is read as */
        apiVersion: string;
        hasMultipleObjects: boolean;
        name?: string;
        problems: {
            column?: number;
            line?: number;
            message: string;
            path: string;
        }[];
        schemaObjects: string[];
        status?: string;
        version?: string;
        warnings: {
            column?: number;
            line?: number;
            message: string;
            path: string;
        }[];
    };
    OdcsValidation: {
        failed: number;
        failedFields: string[];
        passed: number;
        total: number;
        typeMismatchFields: string[];
    };
    OpenApi: {
        openapi: string;
    } & {
        [key: string]: unknown;
    };
    /** @description An event of OpenLineage 2-0-2: of a run, a job or a dataset */
    OpenLineageEvent: {
        eventTime: string;
        eventType?: string | null;
        inputs?: ({
            facets?: {
                [key: string]: unknown;
            } | null;
            name: string;
            namespace: string;
        } & {
            [key: string]: unknown;
        })[] | null;
        job?: ({
            facets?: {
                [key: string]: unknown;
            } | null;
            name: string;
            namespace: string;
        } & {
            [key: string]: unknown;
        }) | null;
        outputs?: ({
            facets?: {
                [key: string]: unknown;
            } | null;
            name: string;
            namespace: string;
        } & {
            [key: string]: unknown;
        })[] | null;
        run?: ({
            runId: string;
        } & {
            [key: string]: unknown;
        }) | null;
    } & {
        [key: string]: unknown;
    };
    /** @description The outcome for an event */
    OpenLineageReceipt: {
        /** @description Whether anything was written: a repeated event changes nothing */
        changed: boolean;
        /** @description What has no effect, and why */
        ignored: string[];
        /** @description FQNs of the assets that get upstream edges */
        stated: string[];
    };
    /** @description A request that consists of several calls. */
    OpenRequest: {
        /** Format: uuid */
        correlationId: string;
        /** @description To be sent with each call, as `Catalog-Request` */
        token: string;
        /** Format: date-time */
        until: string;
    };
    /** @description A deletion or restore, with the entities that it affects. */
    Operation: {
        /** @description What is below it now, of kinds that the caller may view, as progress: a soft deletion brings live to 0, a hard deletion brings both to 0 */
        below: {
            deleted: number;
            live: number;
        };
        /** @description The correlation id of all its events */
        correlationId: string;
        /** @description What was deleted or restored */
        entity: {
            fullyQualifiedName: string;
            /** Format: uuid */
            id: string;
            type: string;
        };
        href: string;
        id: string;
        /** @enum {string} */
        operation: "delete" | "hardDelete" | "restore";
        /** @description Log position of its first event */
        position: string;
        /** Format: date-time */
        startedAt: string;
        /**
         * @description running: events of entities below are missing; superseded: the entity was deleted or restored again since, and the rest follows that
         * @enum {string}
         */
        status: "running" | "completed" | "superseded";
        user: string;
    };
    /** @description How many there are, and the cursors of the pages before and after. */
    Paging: {
        after?: string;
        /** @description Log position of the moment that a list shows, e.g. @1200 */
        asOf?: string;
        before?: string;
        /**
         * @description Of a list with q or sort: there are more than total
         * @constant
         */
        relation?: "gte";
        total: number;
    };
    /** @description A job that moves or makes data, run by a pipeline service. */
    Pipeline: {
        changeDescription?: Schemas['ChangeDescription'];
        /** @description Runs that there may be at a time. */
        concurrency?: number;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Where its code is, kept as its loader sends it. */
        pipelineLocation?: string;
        provenance?: Schemas['Provenance'];
        /** @description SQL and columns that these runs told, by their ids in `details`. */
        runDetails?: {
            [key: string]: unknown;
        };
        /** @description Its newest runs; its history has all. */
        runs?: {
            details?: {
                [key: string]: string;
            };
            endedAt?: string;
            id: string;
            inputs?: {
                name: string;
                namespace: string;
                time?: string;
                version?: string;
            }[];
            outputs?: {
                name: string;
                namespace: string;
                time?: string;
                version?: string;
            }[];
            parent?: {
                pipeline: string;
                run: string;
            };
            startedAt?: string;
            state: string;
            time: string;
        }[];
        /** @description When it runs: a cron expression, or words such as @daily. */
        scheduleInterval?: string;
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description From when on it is scheduled: a day or an instant. */
        startDate?: string;
        /** @description Whether it is scheduled, such as Active or Inactive, kept as its loader sends it. */
        state?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Its steps. */
        tasks?: Schemas['PipelineTask'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    PipelineFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, tasks, runs, runDetails, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of pipelines. */
    PipelineList: {
        data: Schemas['Pipeline'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    PipelinePatch: {
        /** @description Runs that there may be at a time. */
        concurrency?: number | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Where its code is, kept as its loader sends it. */
        pipelineLocation?: string | null;
        /** @description When it runs: a cron expression, or words such as @daily. */
        scheduleInterval?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description From when on it is scheduled: a day or an instant. */
        startDate?: string | null;
        /** @description Whether it is scheduled, such as Active or Inactive, kept as its loader sends it. */
        state?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description Its steps. */
        tasks?: Schemas['PipelineTaskInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description A platform that holds pipelines. */
    PipelineService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example Airbyte
         * @example Airflow
         * @example CustomPipeline
         * @example DBTCloud
         * @example Dagster
         * @example Fivetran
         * @example Flink
         * @example GluePipeline
         * @example Nifi
         * @example OpenLineage
         * @example Prefect
         * @example Spark
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    PipelineServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/pipelineServices. */
    PipelineServiceList: {
        data: Schemas['PipelineService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    PipelineServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example Airbyte
         * @example Airflow
         * @example CustomPipeline
         * @example DBTCloud
         * @example Dagster
         * @example Fivetran
         * @example Flink
         * @example GluePipeline
         * @example Nifi
         * @example OpenLineage
         * @example Prefect
         * @example Spark
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    PipelineServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['PipelineService'][];
    };
    PipelineTask: {
        description?: string;
        displayName?: string;
        downstreamTasks?: string[];
        endDate?: string;
        fullyQualifiedName?: unknown;
        name: string;
        /** @description Kept as its loader sends it. */
        owners?: unknown;
        sourceUrl?: string;
        startDate?: string;
        tags?: Schemas['TagLabel'][];
        taskSQL?: string;
        taskType?: string;
    };
    PipelineTaskInput: {
        description?: string | null;
        displayName?: string | null;
        downstreamTasks?: string[] | null;
        endDate?: string | null;
        fullyQualifiedName?: unknown | null;
        name: string;
        owners?: unknown | null;
        sourceUrl?: string | null;
        startDate?: string | null;
        tags?: Schemas['TagInput'][] | null;
        taskSQL?: string | null;
        taskType?: string | null;
    };
    /** @description Versions of one entity, newest first. */
    PipelineVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Pipeline'][];
    };
    /** @description What went wrong (RFC 9457). */
    Problem: {
        /** @enum {string} */
        code: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "ENTITY_ALREADY_EXISTS" | "CONFLICT" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "EXPECTATION_FAILED" | "TOO_MANY_REQUESTS" | "HEADERS_TOO_LARGE" | "INTERNAL" | "LOG_NOT_SIGNED" | "UNAVAILABLE";
        /** @description Id of the request, as in `X-Request-ID` and in the log; absent if no request could be read. */
        correlationId?: string;
        /** @description The same as message. */
        detail: string;
        /** @description Each thing wrong with the body. */
        errors: {
            column?: number;
            /** @description Line in a text such as YAML, from 1. */
            line?: number;
            message: string;
            /** @description JSON Pointer into the body, with the names of answers (`owners`); `?name` for a query parameter. */
            path: string;
        }[];
        /**
         * Format: uri
         * @description This occurrence, as the service log has it.
         */
        instance: string;
        /** @description What is wrong and what to do about it. */
        message: string;
        status: number;
        title: string;
        /**
         * Format: uri
         * @description Identifies the kind of problem; one for each code.
         */
        type: string;
    };
    ProcessList: {
        data: {
            host: string;
            id: string;
            /** @description Positions between that and the newest event */
            lag: string;
            pid: number;
            /** @description Position that the read models have reached, as far as it knows */
            position?: string;
            /** @description Names of the projections that it writes */
            projections: string[];
            /** @description Whether it projects the entities, as one process at a time does */
            projects: boolean;
            /**
             * Format: date-time
             * @description Time of its last heartbeat, by its own clock: about every two seconds
             */
            seenAt: string;
            /** @description Whether it is the process that sends this response */
            self: boolean;
            /** Format: date-time */
            startedAt: string;
            version: string;
        }[];
    };
    /** @description A change that somebody proposes and somebody else decides on. */
    Proposal: {
        /** @description Revision of the entity when it was accepted */
        accepted?: number;
        /** @description Whether it was accepted with a different change */
        amended?: boolean;
        /** @description Revision of the entity when it was proposed */
        base: number;
        /** @description `set`: members with their new values whole, references by id; `unset`: names of members to clear */
        change: {
            set: {
                [key: string]: unknown;
            };
            unset: string[];
        };
        comment?: string;
        /** @description Epoch milliseconds */
        createdAt: number;
        decidedBy?: string;
        entity: Schemas['EntityReference'];
        /** Format: uuid */
        id: string;
        /** @description Whether the caller can accept or refuse it */
        mayDecide: boolean;
        /** @description Names of the members that it changes */
        members: string[];
        /** @description Name of the user who proposes it */
        proposer: string;
        reason?: string;
        /** @enum {string} */
        status: "open" | "accepted" | "refused" | "withdrawn";
        /** @description Epoch milliseconds */
        updatedAt: number;
    };
    /** @description One page of proposals. */
    ProposalList: {
        data: Schemas['Proposal'][];
        paging: {
            after?: string;
            total?: number;
        };
    };
    /** @description A change that is proposed. */
    ProposalRequest: {
        /** @description The reason, for whoever decides */
        comment?: string;
        /** @description A merge patch (an object, RFC 7396) or a JSON Patch (a list, RFC 6902), as PATCH takes it */
        patch: {
            [key: string]: unknown;
        } | unknown[];
    };
    /** @description With `?provenance=true`: the author of each value, or who cleared it, by member or by path into it (columns.id.description). */
    Provenance: {
        [key: string]: Schemas['Author'];
    };
    /** @description A query that is run on a database service. */
    Query: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        cost?: unknown;
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description How long it took, in seconds. */
        duration?: number;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        exclude_usage?: unknown;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean;
        provenance?: Schemas['Provenance'];
        /** @description The statement. */
        query?: string;
        /** @description When it was run: a day, an instant or epoch milliseconds. */
        queryDate?: string | number;
        /** @description The tables that it reads. */
        queryUsedIn?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        query_type?: unknown;
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        triggeredBy?: unknown;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        usedBy?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        users?: unknown;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    QueryFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, queryUsedIn, processedLineage, users, usedBy, exclude_usage, query_type, triggeredBy, cost, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this queryUsedIn */
        queryUsedIn?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of queries. */
    QueryList: {
        data: Schemas['Query'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    QueryPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        cost?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description How long it took, in seconds. */
        duration?: number | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        exclude_usage?: unknown | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description The statement. */
        query?: string | null;
        queryDate?: (string | number) | null;
        /** @description The tables that it reads. */
        queryUsedIn?: Schemas['ReferenceInput'][] | null;
        query_type?: unknown | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        triggeredBy?: unknown | null;
        usedBy?: unknown | null;
        users?: unknown | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    QueryVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Query'][];
    };
    /** @description Inbox entries to mark as read. */
    ReadRequest: {
        /** @description Mark these entries as read */
        positions?: string[];
        /** @description Mark all entries up to this position as read */
        upTo?: string;
    };
    Readiness: {
        dependencies: {
            /** @description Only if the log is far ahead of the clock of this machine; down if writes are refused */
            clock?: {
                /** @description Seconds by which the newest event is ahead of the clock of this machine */
                ahead: number;
                /** @enum {string} */
                status: "up" | "down";
            };
            eventStore: Schemas['Dependency'];
            projections: {
                /** @description Read models, such as `search`, that do not show the newest event; one whose first event has waited a minute is down. What needs it waits for it, and is 503 when it stands still */
                behind?: {
                    [key: string]: {
                        /** @description Events that it does not show yet; at most 1,000 if positions have gaps */
                        events: number;
                        /** @description Time for which the first of them has waited */
                        seconds: number;
                        /** @enum {string} */
                        status: "up" | "down";
                    };
                };
                head?: string;
                /** @description Positions between the newest event and the read models */
                lag?: string;
                position?: string;
                /** @enum {string} */
                status: "up" | "down";
            };
            readModels: Schemas['Dependency'];
        };
        /** @enum {string} */
        status: "ready" | "not ready" | "stopping";
        /** @description Deletions and restores whose children lack their own events; reads show them as finished */
        unfinishedDeletions?: number;
    };
    /** @description The reason. */
    ReasonRequest: {
        reason?: string;
    };
    /** @description Another entity: its fully qualified name, or an object with its id or fully qualified name. A name that entities of several kinds have needs a `type`, unless the member refers to one of them already. */
    ReferenceInput: string | {
        deleted?: unknown;
        description?: unknown;
        displayName?: unknown;
        fullyQualifiedName?: string;
        href?: unknown;
        /** Format: uuid */
        id: string;
        inherited?: unknown;
        name?: unknown;
        type?: string;
    } | {
        deleted?: unknown;
        description?: unknown;
        displayName?: unknown;
        fullyQualifiedName: string;
        href?: unknown;
        /** Format: uuid */
        id?: string;
        inherited?: unknown;
        name?: unknown;
        type?: string;
    };
    /** @description Where to resend from. */
    ReplayRequest: {
        /** @description Position after which to resend; 0: from the beginning */
        after: string | number;
    };
    RequestActivity: {
        correlationId: string;
        data: Schemas['ActivityEntry'][];
        paging: {
            after?: string;
        };
    };
    /** @description The deleted entity to restore. */
    RestoreRequest: {
        /** Format: uuid */
        id: string;
    };
    /** @description The version to revert to. */
    RevertRequest: {
        /** @description e.g. 0.3 */
        version: number | string;
    };
    /** @description The outcome for one entity of a request that is undone */
    RevertedEntity: {
        /** @description Members that the request changed */
        changed: string[];
        code?: string;
        entity: {
            fullyQualifiedName: string;
            /** Format: uuid */
            id: string;
            type: string;
        };
        message?: string;
        /**
         * @description conflict: somebody has changed it since; refused: not permitted, or not possible
         * @enum {string}
         */
        outcome: "reverted" | "unchanged" | "conflict" | "refused";
        /**
         * @description How it is undone; none if nothing must or can be done
         * @enum {string}
         */
        undo: "change" | "delete" | "restore" | "none";
        /** @description Version of the entity after it */
        version?: number;
    };
    /** @description The outcome for each entity, or with dryRun a preview */
    RevertedRequest: {
        correlationId: string;
        data: Schemas['RevertedEntity'][];
        dryRun: boolean;
        /** @enum {string} */
        status: "success" | "partialSuccess" | "failure";
    };
    Schema: {
        schemaFields?: Schemas['SchemaField'][];
        schemaText?: string;
        /**
         * @description Taken in any case.
         * @enum {string}
         */
        schemaType?: "Avro" | "JSON" | "Protobuf" | "Other" | "None";
    };
    SchemaField: {
        children?: Schemas['SchemaField'][];
        /**
         * @description Taken in any case.
         * @enum {string}
         */
        dataType: "RECORD" | "NULL" | "BOOLEAN" | "INT" | "LONG" | "BYTES" | "FLOAT" | "DOUBLE" | "TIMESTAMP" | "TIMESTAMPZ" | "TIME" | "DATE" | "STRING" | "ARRAY" | "MAP" | "ENUM" | "UNION" | "FIXED" | "ERROR" | "UNKNOWN";
        dataTypeDisplay?: string;
        description?: string;
        displayName?: string;
        fullyQualifiedName?: string;
        name: string;
        tags?: Schemas['TagLabel'][];
    };
    SchemaFieldInput: {
        children?: Schemas['SchemaFieldInput'][] | null;
        /**
         * @description Taken in any case.
         * @enum {string}
         */
        dataType: "RECORD" | "NULL" | "BOOLEAN" | "INT" | "LONG" | "BYTES" | "FLOAT" | "DOUBLE" | "TIMESTAMP" | "TIMESTAMPZ" | "TIME" | "DATE" | "STRING" | "ARRAY" | "MAP" | "ENUM" | "UNION" | "FIXED" | "ERROR" | "UNKNOWN";
        dataTypeDisplay?: string | null;
        description?: string | null;
        displayName?: string | null;
        /** @description It follows from the names: leave it out. A change of it is refused. */
        fullyQualifiedName?: string | null;
        name: string;
        tags?: Schemas['TagInput'][] | null;
    };
    SchemaInput: {
        schemaFields?: Schemas['SchemaFieldInput'][] | null;
        schemaText?: string | null;
        /**
         * @description Taken in any case.
         * @enum {string|null}
         */
        schemaType?: "Avro" | "JSON" | "Protobuf" | "Other" | "None" | null;
    };
    /**
     * @description Taken in any case.
     * @enum {string}
     */
    SearchFieldType: "TEXT" | "KEYWORD" | "CONSTANT_KEYWORD" | "WILDCARD" | "BYTE" | "SHORT" | "INTEGER" | "LONG" | "UNSIGNED_LONG" | "HALF_FLOAT" | "SCALED_FLOAT" | "FLOAT" | "DOUBLE" | "BOOLEAN" | "DATE" | "DATE_NANOS" | "ALIAS" | "OBJECT" | "FLATTENED" | "NESTED" | "JOIN" | "RANGE" | "INTEGER_RANGE" | "FLOAT_RANGE" | "LONG_RANGE" | "DOUBLE_RANGE" | "DATE_RANGE" | "IP" | "IP_RANGE" | "VERSION" | "HISTOGRAM" | "AGGREGATE_METRIC_DOUBLE" | "TOKEN_COUNT" | "COMPLETION" | "SEARCH_AS_YOU_TYPE" | "DENSE_VECTOR" | "SPARSE_VECTOR" | "KNN_VECTOR" | "RANK_FEATURE" | "RANK_FEATURES" | "SEMANTIC_TEXT" | "MATCH_ONLY_TEXT" | "ANNOTATED_TEXT" | "GEO_POINT" | "GEO_SHAPE" | "POINT" | "SHAPE" | "PERCOLATOR" | "NUMBER" | "TINYINT" | "SMALLINT" | "INT" | "BIGINT" | "BYTEINT" | "BYTES" | "DECIMAL" | "NUMERIC" | "TIMESTAMP" | "TIMESTAMPZ" | "TIME" | "DATETIME" | "INTERVAL" | "STRING" | "MEDIUMTEXT" | "CHAR" | "VARCHAR" | "BINARY" | "VARBINARY" | "ARRAY" | "BLOB" | "LONGBLOB" | "MEDIUMBLOB" | "MAP" | "STRUCT" | "UNION" | "SET" | "GEOGRAPHY" | "ENUM" | "JSON" | "UUID" | "VARIANT" | "GEOMETRY" | "BYTEA" | "AGGREGATEFUNCTION" | "ERROR" | "FIXED" | "RECORD" | "NULL" | "SUPER" | "HLLSKETCH" | "PG_LSN" | "PG_SNAPSHOT" | "TSQUERY" | "TXID_SNAPSHOT" | "XML" | "MACADDR" | "TSVECTOR" | "UNKNOWN" | "CIDR" | "INET" | "CLOB" | "ROWID" | "LOWCARDINALITY" | "YEAR" | "POLYGON" | "TUPLE" | "SPATIAL" | "TABLE" | "NTEXT" | "IMAGE" | "IPV4" | "IPV6" | "DATETIMERANGE" | "HLL" | "LARGEINT" | "QUANTILE_STATE" | "AGG_STATE" | "BITMAP" | "UINT" | "BIT" | "MONEY" | "MEASURE" | "KPI" | "HIERARCHYID";
    SearchFilter: {
        /** @description Only soft-deleted entities */
        deleted?: boolean;
        /** @description Only hits with this value of the facet domain: an FQN or an id */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /** @description Only hits with this value of the facet entityStatus */
        entityStatus?: string;
        /** @description Counts hits by any of kind, owner, tag, domain, service, entityStatus, validation, comma-separated */
        facets?: string;
        /** @description Number of hits to skip */
        from?: number;
        /** @description Marks the words in the hits */
        highlight?: boolean;
        /** @description all, dataAsset, or <kind>_search_index; several with commas */
        index?: string;
        /** @description Only hits with this value of the facet owner: an FQN or an id */
        owner?: string;
        /** @description Words (all must match; singular and plural are found together, and where little is found typing errors are forgiven), prefixes (ord*), "phrases" (these very words), field:value, AND, OR, NOT (in capitals), parentheses; * matches all */
        q?: string;
        /** @description Only hits with this value of the facet service: an FQN or an id */
        service?: string;
        /** @description Hits to give; fewer come where their texts are too much (see limits): go on behind the last one */
        size?: number;
        /**
         * @description What hits are sorted by
         * @enum {string}
         */
        sort_field?: "_score" | "name" | "fullyQualifiedName" | "updatedAt" | "name.keyword";
        /**
         * @description Default: desc for _score and updatedAt, else asc; by _score the best hit is always first: asc is refused
         * @enum {string}
         */
        sort_order?: "asc" | "desc";
        /** @description Only hits with this value of the facet tag: an FQN or an id */
        tag?: string;
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
        /**
         * @description Only hits with this value of the facet validation
         * @enum {string}
         */
        validation?: "Success" | "PartialSuccess" | "Failed" | "Aborted" | "Queued" | "Running" | "none";
    };
    /** @description An index of a search service. */
    SearchIndex: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description The fields of its documents. */
        fields?: Schemas['SearchIndexField'][];
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /**
         * @description What sort of index it is.
         * @example Index
         * @example DataStream
         */
        indexType?: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description Settings of the index. */
        searchIndexSettings?: {
            [key: string]: unknown;
        };
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    SearchIndexField: {
        children?: Schemas['SearchIndexField'][];
        dataType: Schemas['SearchFieldType'];
        dataTypeDisplay?: string;
        description?: string;
        displayName?: string;
        fullyQualifiedName?: string;
        name: string;
        tags?: Schemas['TagLabel'][];
    };
    SearchIndexFieldInput: {
        children?: Schemas['SearchIndexFieldInput'][] | null;
        dataType: Schemas['SearchFieldType'];
        dataTypeDisplay?: string | null;
        description?: string | null;
        displayName?: string | null;
        /** @description It follows from the names: leave it out. A change of it is refused. */
        fullyQualifiedName?: string | null;
        name: string;
        tags?: Schemas['TagInput'][] | null;
    };
    SearchIndexFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of searchIndexes. */
    SearchIndexList: {
        data: Schemas['SearchIndex'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    SearchIndexPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description The fields of its documents. */
        fields?: Schemas['SearchIndexFieldInput'][] | null;
        /**
         * @description What sort of index it is.
         * @example Index
         * @example DataStream
         */
        indexType?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Settings of the index. */
        searchIndexSettings?: {
            [key: string]: unknown;
        } | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    SearchIndexVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['SearchIndex'][];
    };
    /** @description Hits in the format of Elasticsearch. */
    SearchResult: {
        /** @description The same in the format of Elasticsearch */
        aggregations?: {
            [key: string]: {
                buckets: {
                    doc_count: number;
                    key: string;
                    /**
                     * @description The number is a lower bound, since not all hits were examined. Absent: it is exact
                     * @constant
                     */
                    relation?: "gte";
                }[];
                /** @description -1: unknown, because not all hits were examined */
                doc_count_error_upper_bound: number;
                /**
                 * @description The number is a lower bound, since not all hits were examined. Absent: it is exact
                 * @constant
                 */
                relation?: "gte";
                sum_other_doc_count: number;
            };
        };
        /** @description Values with numbers of hits, by facet, most frequent first, at most 50 each: the others are counted in `aggregations` */
        facets?: {
            [key: string]: {
                count: number;
                displayName?: string;
                /**
                 * @description The number is a lower bound, since not all hits were examined. Absent: it is exact
                 * @constant
                 */
                relation?: "gte";
                value: string;
            }[];
        };
        hits: {
            hits: {
                /** Format: uuid */
                _id: string;
                _index: string;
                _score: number;
                _source: {
                    [key: string]: unknown;
                };
                /**
                 * @description It matches only where a word of the query has a typing error. Such hits come last
                 * @constant
                 */
                fuzzy?: true;
                /** @description Texts by member, with the words of the query in <em>; HTML, escaped */
                highlight?: {
                    [key: string]: string[];
                };
                /** @description Where the words and tags of the query stand: members, columns and fields (columns.address.city), and their tags (columns.address.city.tags); the first 20. Left out where no word or tag was asked for */
                matchedIn?: string[];
            }[];
            max_score: number | null;
            total: {
                /** @enum {string} */
                relation: "eq" | "gte";
                value: number;
            };
        };
        timed_out: boolean;
        took: number;
    };
    /** @description A platform that holds search indexes. */
    SearchService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example CustomSearch
         * @example ElasticSearch
         * @example OpenSearch
         * @example Solr
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    SearchServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/searchServices. */
    SearchServiceList: {
        data: Schemas['SearchService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    SearchServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example CustomSearch
         * @example ElasticSearch
         * @example OpenSearch
         * @example Solr
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    SearchServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['SearchService'][];
    };
    Session: {
        /** Format: date-time */
        until: string;
        user: string;
    };
    SessionState: {
        signedIn: boolean;
        ways: ("token" | "code" | "oidc")[];
    };
    /** @description Credentials: a token, or the one-time code that was printed at the start. */
    SignIn: {
        /** @description The one-time code that the service printed when it started */
        code?: string;
        /** @description A bearer token */
        token?: string;
    };
    /** @description The present edges of the source */
    StatedLineage: {
        changed: boolean;
        edges: {
            [key: string]: unknown;
        }[];
        entity: {
            deleted?: boolean;
            displayName?: string;
            fullyQualifiedName?: string;
            /** Format: uuid */
            id?: string;
            name?: string;
            type?: string;
        };
        source: string;
    };
    /** @description A platform that holds files and folders. */
    StorageService: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['Connection'];
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        ingestionRunner?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /**
         * @description The platform.
         * @example ADLS
         * @example CustomStorage
         * @example GCS
         * @example S3
         */
        serviceType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    StorageServiceFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, ingestionRunner, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of services/storageServices. */
    StorageServiceList: {
        data: Schemas['StorageService'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    StorageServicePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description How it is reached. What is not known to be harmless is kept encrypted and answered as ********, which sent back keeps it; addresses are answered without users and passwords. */
        connection?: Schemas['ConnectionInput'] | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        ingestionRunner?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description The platform.
         * @example ADLS
         * @example CustomStorage
         * @example GCS
         * @example S3
         */
        serviceType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    StorageServiceVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['StorageService'][];
    };
    /** @description A procedure or function of a database schema. */
    StoredProcedure: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        database?: Schemas['EntityReference'];
        /** @description What the entity belongs to. */
        databaseSchema?: Schemas['EntityReference'];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean;
        provenance?: Schemas['Provenance'];
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description What it does. */
        storedProcedureCode?: {
            code: string;
            /**
             * @example SQL
             * @example Java
             * @example JavaScript
             * @example Python
             * @example Scala
             * @example External
             */
            language?: string;
        };
        /**
         * @description What sort of procedure it is.
         * @example StoredProcedure
         * @example UDF
         * @example StoredPackage
         * @example Function
         */
        storedProcedureType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    StoredProcedureFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with this database */
        database?: string;
        /** @description Only those with this databaseSchema */
        databaseSchema?: string;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, processedLineage, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of storedProcedures. */
    StoredProcedureList: {
        data: Schemas['StoredProcedure'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    StoredProcedurePatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description What it does. */
        storedProcedureCode?: {
            code: string;
            /**
             * @example SQL
             * @example Java
             * @example JavaScript
             * @example Python
             * @example Scala
             * @example External
             */
            language?: string | null;
        } | null;
        /**
         * @description What sort of procedure it is.
         * @example StoredProcedure
         * @example UDF
         * @example StoredPackage
         * @example Function
         */
        storedProcedureType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    StoredProcedureVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['StoredProcedure'][];
    };
    SuggestFilter: {
        /** @description all, dataAsset, or <kind>_search_index; several with commas */
        index?: string;
        /** @description How many */
        limit?: number;
        /** @description The beginning of a name; or words, or beginnings of words, of name, display name, synonyms and the names above */
        q?: string;
    };
    /** @description Entities, starting with those whose names begin with the text. */
    Suggestions: {
        data: Schemas['EntityReference'][];
    };
    /** @description What a loader found. Everything else is deleted. */
    SweepRequest: {
        /**
         * @description Allow deleting more than a third, or than the configured share
         * @default false
         */
        confirm?: boolean;
        /**
         * @description Only preview what would be deleted
         * @default false
         */
        dryRun?: boolean;
        /** @default false */
        hardDelete?: boolean;
        /** @description Fully qualified name of what the loader has read; only entities below it are considered */
        scope: string;
        /** @description Fully qualified names of everything that it found there; what these stand in counts as found */
        seen: string[];
    };
    /** @description What was not found, and the outcome for each. */
    SweepResult: {
        data: {
            fullyQualifiedName: string;
            /** Format: uuid */
            id: string;
            message?: string;
            /** @enum {string} */
            outcome: "deleted" | "refused";
        }[];
        dryRun: boolean;
        /** @description Of a dry run: why it is refused without `confirm` */
        refusal?: string;
        /** @description What was below the scope */
        total: number;
    };
    /** @description A table or view of a database schema. */
    Table: {
        changeDescription?: Schemas['ChangeDescription'];
        /** @description The columns, in order. */
        columns?: Schemas['Column'][];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        dataModel?: unknown;
        dataProducts?: Schemas['EntityReference'][];
        database?: Schemas['EntityReference'];
        /** @description What the entity belongs to. */
        databaseSchema?: Schemas['EntityReference'];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description What its files are written in, kept as its loader sends it. */
        fileFormat?: string;
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        /** @description Where its files are, kept as its loader sends it. */
        locationPath?: string;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean;
        provenance?: Schemas['Provenance'];
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string;
        /** @description The statement that defines it, such as a view’s query. */
        schemaDefinition?: string;
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Constraints over several columns, and to other tables. */
        tableConstraints?: {
            columns: string[];
            /**
             * @example UNIQUE
             * @example PRIMARY_KEY
             * @example FOREIGN_KEY
             * @example SORT_KEY
             * @example DIST_KEY
             * @example CLUSTER_KEY
             */
            constraintType: string;
            referredColumns?: string[];
            /**
             * @example ONE_TO_ONE
             * @example ONE_TO_MANY
             * @example MANY_TO_ONE
             * @example MANY_TO_MANY
             */
            relationshipType?: string;
        }[];
        /** @description How it is partitioned, kept as its loader sends it. */
        tablePartition?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        tableProfilerConfig?: unknown;
        /**
         * @description What sort of table it is.
         * @default Regular
         * @example Regular
         * @example External
         * @example Dynamic
         * @example View
         * @example SecureView
         * @example MaterializedView
         * @example Iceberg
         * @example Local
         * @example Partitioned
         * @example Foreign
         * @example Transient
         * @example Stream
         * @example Stage
         * @example Temporary
         */
        tableType?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description How much it is used. */
        usageSummary?: {
            dailyStats?: {
                count?: number;
                percentileRank?: number;
            };
            date?: string;
            monthlyStats?: {
                count?: number;
                percentileRank?: number;
            };
            weeklyStats?: {
                count?: number;
                percentileRank?: number;
            };
        };
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    TableFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with this database */
        database?: string;
        /** @description Only those with this databaseSchema */
        databaseSchema?: string;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, columns, tableConstraints, tablePartition, processedLineage, usageSummary, dataModel, tableProfilerConfig, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only those with a test case, or without one */
        tested?: boolean;
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of tables. */
    TableList: {
        data: Schemas['Table'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TablePatch: {
        /** @description The columns, in order. */
        columns?: Schemas['ColumnInput'][] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        dataModel?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description What its files are written in, kept as its loader sends it. */
        fileFormat?: string | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Where its files are, kept as its loader sends it. */
        locationPath?: string | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Has its loader read lineage out of its statement? Kept as it is sent. */
        processedLineage?: boolean | null;
        /** @description How long data is kept: an ISO 8601 duration. */
        retentionPeriod?: string | null;
        /** @description The statement that defines it, such as a view’s query. */
        schemaDefinition?: string | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Constraints over several columns, and to other tables. */
        tableConstraints?: {
            columns: string[];
            /**
             * @example UNIQUE
             * @example PRIMARY_KEY
             * @example FOREIGN_KEY
             * @example SORT_KEY
             * @example DIST_KEY
             * @example CLUSTER_KEY
             */
            constraintType: string;
            referredColumns?: string[] | null;
            /**
             * @example ONE_TO_ONE
             * @example ONE_TO_MANY
             * @example MANY_TO_ONE
             * @example MANY_TO_MANY
             */
            relationshipType?: string | null;
        }[] | null;
        /** @description How it is partitioned, kept as its loader sends it. */
        tablePartition?: {
            [key: string]: unknown;
        } | null;
        tableProfilerConfig?: unknown | null;
        /**
         * @description What sort of table it is.
         * @default Regular
         * @example Regular
         * @example External
         * @example Dynamic
         * @example View
         * @example SecureView
         * @example MaterializedView
         * @example Iceberg
         * @example Local
         * @example Partitioned
         * @example Foreign
         * @example Transient
         * @example Stream
         * @example Stage
         * @example Temporary
         */
        tableType?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description How much it is used. */
        usageSummary?: {
            dailyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
            date?: string | null;
            monthlyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
            weeklyStats?: {
                count?: number | null;
                percentileRank?: number | null;
            } | null;
        } | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TableVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Table'][];
    };
    /** @description A tag of a classification. */
    Tag: {
        /** @description Kept as its loader sends it; an empty list is none. */
        associatedTags?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        autoClassificationEnabled?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        autoClassificationPriority?: unknown;
        changeDescription?: Schemas['ChangeDescription'];
        children?: Schemas['EntityReference'][];
        /** @description What the entity belongs to. */
        classification?: Schemas['EntityReference'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Not to be used any more. */
        disabled?: boolean;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description At most one of its children may stand on the same thing. */
        mutuallyExclusive?: boolean;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description The tag above it. */
        parent?: Schemas['EntityReference'];
        provenance?: Schemas['Provenance'];
        /** @description Kept as its loader sends it; an empty list is none. */
        provider?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        recognizers?: unknown;
        /** @description Who reviews changes. */
        reviewers?: Schemas['EntityReference'][];
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        };
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    TagFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with this classification */
        classification?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, reviewers, provider, associatedTags, recognizers, autoClassificationEnabled, autoClassificationPriority, children, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only those directly below this parent; or, with the name of the classification, those directly below that */
        parent?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this reviewer */
        reviewer?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description A classification tag or glossary term: its fully qualified name, or an object with tagFQN. A name that both have needs a `source`, unless the member has one of them already. */
    TagInput: string | {
        appliedAt?: unknown;
        appliedBy?: unknown;
        description?: unknown;
        displayName?: unknown;
        href?: unknown;
        labelType?: unknown;
        metadata?: unknown;
        name?: unknown;
        reason?: unknown;
        /** @enum {string} */
        source?: "Classification" | "Glossary";
        state?: unknown;
        style?: unknown;
        tagFQN: string;
    } | {
        deleted?: unknown;
        description?: unknown;
        displayName?: unknown;
        fullyQualifiedName?: string;
        href?: unknown;
        /** Format: uuid */
        id: string;
        inherited?: unknown;
        name?: unknown;
        type?: string;
    } | {
        deleted?: unknown;
        description?: unknown;
        displayName?: unknown;
        fullyQualifiedName: string;
        href?: unknown;
        /** Format: uuid */
        id?: string;
        inherited?: unknown;
        name?: unknown;
        type?: string;
    };
    /** @description A classification tag or a glossary term on something. */
    TagLabel: {
        description?: string;
        displayName?: string;
        /** @constant */
        labelType: "Manual";
        name: string;
        /** @enum {string} */
        source: "Classification" | "Glossary";
        /** @constant */
        state: "Confirmed";
        style?: {
            [key: string]: unknown;
        };
        tagFQN: string;
    };
    /** @description One page of the list of tags. */
    TagList: {
        data: Schemas['Tag'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TagPatch: {
        associatedTags?: unknown | null;
        autoClassificationEnabled?: unknown | null;
        autoClassificationPriority?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Not to be used any more. */
        disabled?: boolean | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description At most one of its children may stand on the same thing. */
        mutuallyExclusive?: boolean | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        provider?: unknown | null;
        recognizers?: unknown | null;
        /** @description Who reviews changes. */
        reviewers?: Schemas['ReferenceInput'][] | null;
        /** @description How user interfaces show it: colour, icon. */
        style?: {
            [key: string]: unknown;
        } | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TagVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Tag'][];
    };
    /** @description People who work together. */
    Team: {
        changeDescription?: Schemas['ChangeDescription'];
        children?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        defaultRoles?: unknown;
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description E-mail address. */
        email?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        isJoinable?: unknown;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description The teams that it is a part of. */
        parents?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        policies?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        profile?: unknown;
        provenance?: Schemas['Provenance'];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /**
         * @description What sort of team it is.
         * @default Group
         * @example Organization
         * @example BusinessUnit
         * @example Division
         * @example Department
         * @example Group
         */
        teamType?: string;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        users?: Schemas['EntityReference'][];
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    TeamFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, profile, isJoinable, defaultRoles, policies, users, children, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only those with this parent */
        parent?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of teams. */
    TeamList: {
        data: Schemas['Team'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TeamPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        defaultRoles?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description E-mail address. */
        email?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        isJoinable?: unknown | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description The teams that it is a part of. */
        parents?: Schemas['ReferenceInput'][] | null;
        policies?: unknown | null;
        profile?: unknown | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /**
         * @description What sort of team it is.
         * @default Group
         * @example Organization
         * @example BusinessUnit
         * @example Division
         * @example Department
         * @example Group
         */
        teamType?: string | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TeamVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Team'][];
    };
    /** @description A test of a table or of one of its columns. */
    TestCase: {
        changeDescription?: Schemas['ChangeDescription'];
        /** @description Kept as its loader sends it; an empty list is none. */
        computePassedFailedRowCount?: unknown;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        createdBy?: unknown;
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        dimensionColumns?: unknown;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description What it tests, as a fully qualified name. */
        entityFQN?: string;
        /** @description What it tests: <#E::table::FQN> or <#E::table::FQN::columns::COLUMN>. */
        entityLink?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Opened by a failure; resolved by a success, or by whoever says so here. When it was opened, and when and by whom it was resolved, is told by the catalog; what a request says of that is ignored. */
        incident?: {
            note?: string;
            openedAt?: number;
            resolvedAt?: number;
            resolvedBy?: string;
            /** @description The newest run when a person resolved: failures until then open none */
            resolvedUpTo?: number;
            /**
             * @description Taken in any case.
             * @enum {string}
             */
            status: "Open" | "Resolved";
        };
        /** @description How its newest run went. */
        latestResult?: {
            [key: string]: unknown;
        };
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Values of the definition’s parameters. */
        parameterValues?: {
            name: string;
            value: string;
        }[];
        provenance?: Schemas['Provenance'];
        /** @description Its newest 90 results, the newest first; its history has all. */
        results?: {
            [key: string]: unknown;
        }[];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description How it tests. */
        testDefinition?: Schemas['EntityReference'];
        /** @description The suite that it is run with. */
        testSuite?: Schemas['EntityReference'];
        /** @description Kept as its loader sends it; an empty list is none. */
        topDimensions?: unknown;
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        useDynamicAssertion?: unknown;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    TestCaseFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those of this table, or, with the name of a column, of this column */
        entityFQN?: string;
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, results, computePassedFailedRowCount, useDynamicAssertion, createdBy, topDimensions, dimensionColumns, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only those with this testDefinition */
        testDefinition?: string;
        /** @description Only those with this testSuite */
        testSuite?: string;
        /**
         * @description Only those whose newest run ended so; none: those that never ran
         * @enum {string}
         */
        validation?: "Success" | "Failed" | "Aborted" | "none";
    };
    /** @description One page of the list of dataQuality/testCases. */
    TestCaseList: {
        data: Schemas['TestCase'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TestCasePatch: {
        computePassedFailedRowCount?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        createdBy?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        dimensionColumns?: unknown | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Opened by a failure; resolved by a success, or by whoever says so here. When it was opened, and when and by whom it was resolved, is told by the catalog; what a request says of that is ignored. */
        incident?: {
            note?: string | null;
            openedAt?: number | null;
            resolvedAt?: number | null;
            resolvedBy?: string | null;
            resolvedUpTo?: number | null;
            /**
             * @description Taken in any case.
             * @enum {string}
             */
            status: "Open" | "Resolved";
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Values of the definition’s parameters. */
        parameterValues?: {
            name: string;
            value: string;
        }[] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description How it tests. */
        testDefinition?: Schemas['ReferenceInput'] | null;
        /** @description The suite that it is run with. */
        testSuite?: Schemas['ReferenceInput'] | null;
        topDimensions?: unknown | null;
        useDynamicAssertion?: unknown | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TestCaseVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['TestCase'][];
    };
    /** @description A way of testing tables or columns. */
    TestDefinition: {
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        /**
         * @description The dimension of quality that it looks at.
         * @example Completeness
         * @example Accuracy
         * @example Consistency
         * @example Validity
         * @example Uniqueness
         * @example Integrity
         * @example SQL
         */
        dataQualityDimension?: string;
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        enabled?: unknown;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /**
         * @description What it tests. Taken in any case.
         * @enum {string}
         */
        entityType?: "TABLE" | "COLUMN";
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description What a test case must or may say. */
        parameterDefinition?: {
            /**
             * @example NUMBER
             * @example INT
             * @example FLOAT
             * @example DOUBLE
             * @example DECIMAL
             * @example TIMESTAMP
             * @example DATE
             * @example STRING
             * @example ARRAY
             * @example SET
             * @example BOOLEAN
             */
            dataType?: string;
            description?: string;
            displayName?: string;
            name: string;
            optionValues?: unknown;
            required?: boolean;
            validationRule?: unknown;
        }[];
        provenance?: Schemas['Provenance'];
        /** @description Kept as its loader sends it; an empty list is none. */
        provider?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        sqlExpression?: unknown;
        /** @description Data types of columns that it can test. */
        supportedDataTypes?: Schemas['ColumnDataType'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        supportedServices?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        supportsDynamicAssertion?: unknown;
        /** @description Kept as its loader sends it; an empty list is none. */
        supportsRowLevelPassedFailed?: unknown;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description What can run it. */
        testPlatforms?: string[];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        validatorClass?: unknown;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    TestDefinitionFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, provider, enabled, supportedServices, sqlExpression, validatorClass, supportsRowLevelPassedFailed, supportsDynamicAssertion, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of dataQuality/testDefinitions. */
    TestDefinitionList: {
        data: Schemas['TestDefinition'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TestDefinitionPatch: {
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /**
         * @description The dimension of quality that it looks at.
         * @example Completeness
         * @example Accuracy
         * @example Consistency
         * @example Validity
         * @example Uniqueness
         * @example Integrity
         * @example SQL
         */
        dataQualityDimension?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        enabled?: unknown | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /**
         * @description What it tests. Taken in any case.
         * @enum {string|null}
         */
        entityType?: "TABLE" | "COLUMN" | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description What a test case must or may say. */
        parameterDefinition?: {
            /**
             * @example NUMBER
             * @example INT
             * @example FLOAT
             * @example DOUBLE
             * @example DECIMAL
             * @example TIMESTAMP
             * @example DATE
             * @example STRING
             * @example ARRAY
             * @example SET
             * @example BOOLEAN
             */
            dataType?: string | null;
            description?: string | null;
            displayName?: string | null;
            name: string;
            optionValues?: unknown | null;
            required?: boolean | null;
            validationRule?: unknown | null;
        }[] | null;
        provider?: unknown | null;
        sqlExpression?: unknown | null;
        /** @description Data types of columns that it can test. */
        supportedDataTypes?: Schemas['ColumnDataType'][] | null;
        supportedServices?: unknown | null;
        supportsDynamicAssertion?: unknown | null;
        supportsRowLevelPassedFailed?: unknown | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description What can run it. */
        testPlatforms?: string[] | null;
        validatorClass?: unknown | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TestDefinitionVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['TestDefinition'][];
    };
    /** @description The result of a run. Repeating it with its time changes nothing. */
    TestResultRequest: {
        message?: string;
        /** @enum {string} */
        status: "Success" | "Failed" | "Aborted";
        /** @description When it ran, in epoch milliseconds; default: now */
        timestamp?: number;
    };
    /** @description The outcome for reported results. */
    TestResultsReceipt: {
        /** @description The new results */
        changed: number;
        processed: number;
    };
    /** @description Results of runs, in any order. After an error send them again: what is stored with a time is not stored twice. */
    TestResultsRequest: {
        message?: string;
        /** @enum {string} */
        status: "Success" | "Failed" | "Aborted";
        /** @description Its fully qualified name */
        testCase: string;
        /** @description When it ran, in epoch milliseconds; default: now */
        timestamp?: number;
    }[];
    /** @description Test cases that are run together. */
    TestSuite: {
        /** @description Kept as its loader sends it; an empty list is none. */
        basicEntityReference?: unknown;
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        dataContract?: unknown;
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Kept as its loader sends it; an empty list is none. */
        executableEntityReference?: unknown;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        provenance?: Schemas['Provenance'];
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        tests?: Schemas['EntityReference'][];
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    TestSuiteFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, basicEntityReference, executableEntityReference, dataContract, tests, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
    };
    /** @description One page of the list of dataQuality/testSuites. */
    TestSuiteList: {
        data: Schemas['TestSuite'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TestSuitePatch: {
        basicEntityReference?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        dataContract?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        executableEntityReference?: unknown | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TestSuiteVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['TestSuite'][];
    };
    /** @description A token of a program, without the token itself. */
    Token: {
        /** Format: date-time */
        createdAt: string;
        createdBy: string;
        /** Format: date-time */
        expiresAt: string;
        fullyQualifiedName: string;
        /** Format: uuid */
        id: string;
        name: string;
        roles: string[];
    };
    /** @description The valid tokens. */
    TokenList: {
        data: Schemas['Token'][];
        paging: {
            total: number;
        };
    };
    /** @description A topic of a messaging service. */
    Topic: {
        changeDescription?: Schemas['ChangeDescription'];
        /** @description How old messages go. */
        cleanupPolicies?: string[];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        dataProducts?: Schemas['EntityReference'][];
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Users who follow it. */
        followers?: Schemas['EntityReference'][];
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        };
        /** @description Largest message, in bytes. */
        maximumMessageSize?: number;
        /** @description The schema of its messages. Fields are read from Avro, JSON Schema and Protobuf texts. */
        messageSchema?: Schemas['Schema'];
        /** @description Copies that must have a message before it is acknowledged. */
        minimumInSyncReplicas?: number;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /**
         * @description Number of partitions.
         * @default 1
         */
        partitions?: number;
        provenance?: Schemas['Provenance'];
        /** @description Number of copies. */
        replicationFactor?: number;
        /**
         * @description Size at which messages go, in bytes; -1: unlimited.
         * @default -1
         */
        retentionSize?: number;
        /** @description How long messages stay, in milliseconds; -1: for ever. */
        retentionTime?: number;
        /** @description What the entity belongs to. */
        service?: Schemas['EntityReference'];
        serviceType?: string;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description Further settings of the platform. */
        topicConfig?: {
            [key: string]: unknown;
        };
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
        votes?: Schemas['Votes'];
    } & {
        [key: string]: unknown;
    };
    TopicFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /** @description Only those with a tag on them or on a column or field, or without one */
        classified?: boolean;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with a data contract of their own, or without one */
        contracted?: boolean;
        /** @description Only those with a description, or without one */
        described?: boolean;
        /** @description Only those with this domain */
        domain?: string;
        /** @description Only what the data of this asset goes to, up to 10 steps away: an FQN, or an id */
        downstreamOf?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, followers, sourceHash, lifeCycle, dataProducts, votes */
        fields?: string;
        /** @description Only those with this follower */
        follower?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those that have an owner, or none */
        owned?: boolean;
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Only those with this service */
        service?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only what the data of this asset comes from, up to 10 steps away: an FQN, or an id */
        upstreamOf?: string;
    };
    /** @description One page of the list of topics. */
    TopicList: {
        data: Schemas['Topic'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    TopicPatch: {
        /** @description How old messages go. */
        cleanupPolicies?: string[] | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        /** @description When it was created, changed and read last, kept as its loader sends it. */
        lifeCycle?: {
            [key: string]: unknown;
        } | null;
        /** @description Largest message, in bytes. */
        maximumMessageSize?: number | null;
        /** @description The schema of its messages. Fields are read from Avro, JSON Schema and Protobuf texts. */
        messageSchema?: Schemas['SchemaInput'] | null;
        /** @description Copies that must have a message before it is acknowledged. */
        minimumInSyncReplicas?: number | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        /**
         * @description Number of partitions.
         * @default 1
         */
        partitions?: number | null;
        /** @description Number of copies. */
        replicationFactor?: number | null;
        /**
         * @description Size at which messages go, in bytes; -1: unlimited.
         * @default -1
         */
        retentionSize?: number | null;
        /** @description How long messages stay, in milliseconds; -1: for ever. */
        retentionTime?: number | null;
        /** @description Hash of the source that it was read from: an item of a bulk request that has the same one is skipped. */
        sourceHash?: string | null;
        /** @description Where the asset is found in its source system. */
        sourceUrl?: string | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description Further settings of the platform. */
        topicConfig?: {
            [key: string]: unknown;
        } | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    TopicVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['Topic'][];
    };
    Unread: {
        /** @description Entries that are not read, at most 100 */
        unread: number;
    };
    /** @description What refers to an entity. */
    UsedBy: {
        data: {
            entity: Schemas['EntityReference'];
            /** @description The member with the reference */
            member: string;
            /** @description Where: `owners`, or `columns.address.city.tags` */
            paths: string[];
        }[];
        /** @description Total number of entities that refer to it, by kind and member, not only those on the page */
        groups: {
            count: number;
            kind: string;
            member: string;
        }[];
        paging: {
            after?: string;
            asOf?: string;
            total: number;
        };
    };
    /** @description Somebody, or a program, that uses the catalog. */
    User: {
        /** @description Kept as its loader sends it; an empty list is none. */
        botName?: unknown;
        changeDescription?: Schemas['ChangeDescription'];
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string;
        /** @description Who confirmed it last, and when. */
        confirmed?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        createPasswordType?: unknown;
        dataProducts?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        defaultPersona?: unknown;
        deleted: boolean;
        /** @description What it is, in Markdown. */
        description?: string;
        /** @description Name for people. */
        displayName?: string;
        /** @description The domains that it belongs to. */
        domains?: Schemas['EntityReference'][];
        /**
         * Format: date
         * @description The day by which it was to be confirmed, and was not.
         */
        due?: string;
        /** @description E-mail address. */
        email?: string;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        };
        /** @description Kept as its loader sends it; an empty list is none. */
        externalId?: unknown;
        fullyQualifiedName: string;
        href: string;
        /** Format: uuid */
        id: string;
        /** @description Administers the catalog. Says nothing about permissions: roles do. */
        isAdmin?: boolean;
        /** @description A program. Of a user who exists only people with the permission `manage` change it. */
        isBot?: boolean;
        name: string;
        /** @description Who is responsible for it. */
        owners?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        personas?: unknown;
        /** @description What user interfaces show of them. */
        profile?: {
            [key: string]: unknown;
        };
        provenance?: Schemas['Provenance'];
        /** @description Kept as its loader sends it; an empty list is none. */
        roles?: unknown;
        /**
         * Format: date-time
         * @description When all of their sessions were ended; absent: never.
         */
        sessionsEndedAt?: string;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagLabel'][];
        /** @description The teams that they are in. */
        teams?: Schemas['EntityReference'][];
        /** @description Kept as its loader sends it; an empty list is none. */
        timezone?: unknown;
        /** @description The token that a program has: /v1/tokens makes and revokes it. */
        token?: {
            /** Format: date-time */
            createdAt: string;
            createdBy: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The deletion of its user that was undone before
             */
            restored?: string;
            roles: string[];
        };
        /** @description Epoch milliseconds. */
        updatedAt: number;
        updatedBy: string;
        /** @description Starts at 0.1; a change adds 0.1, one that breaks readers 1.0. */
        version: number;
    } & {
        [key: string]: unknown;
    };
    UserFilter: {
        /** @description As it was at a log position (@1200 or 1200) or an ISO 8601 instant */
        asOf?: string;
        /**
         * @description Only those that are to be confirmed by some day
         * @enum {string}
         */
        confirmation?: "asked";
        /** @description Only those with this domain */
        domain?: string;
        /**
         * @description Only those that were to be confirmed by some day, and were not
         * @enum {string}
         */
        due?: "true";
        /** @description Only those with this entityStatus */
        entityStatus?: string;
        /** @description Optional members, comma-separated, or *: owners, domains, tags, extension, confirmBy, confirmed, due, externalId, timezone, botName, roles, personas, defaultPersona, createPasswordType, dataProducts */
        fields?: string;
        /** @description Soft-deleted entities: left out, alone, or with the others */
        include?: Schemas['Include'];
        /** @description Page size */
        limit?: number;
        /**
         * @description Default: desc for updatedAt, else asc; relevance is always best first
         * @enum {string}
         */
        order?: "asc" | "desc";
        /** @description Only those with this owner */
        owner?: string;
        /** @description Only what a search for this finds, the best match first. Lists with `q` or `sort` are of the present, have no cursor `before`, and at most 1000 entities on a page. By relevance, it ends after about 10000. Sorted, a walk over pages shows once what is there all along; by relevance, entities that change meanwhile may make it skip or repeat some */
        q?: string;
        /** @description Cursors remember the moment of the first page, so that a walk over all pages shows that one moment */
        snapshot?: boolean;
        /**
         * @description Default: relevance with q, else fullyQualifiedName
         * @enum {string}
         */
        sort?: "fullyQualifiedName" | "name" | "updatedAt" | "relevance";
        /** @description Only those with this tag */
        tag?: string;
        /**
         * @description Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it
         * @enum {string}
         */
        tagOn?: "self" | "columns";
        /** @description Only those with this team */
        team?: string;
    };
    /** @description One page of the list of users. */
    UserList: {
        data: Schemas['User'][];
        paging: Schemas['Paging'];
    };
    /** @description JSON Merge Patch (RFC 7396): what is named is replaced, null clears. */
    UserPatch: {
        botName?: unknown | null;
        /**
         * Format: date
         * @description The last day for an owner to confirm that it is right as it stands.
         */
        confirmBy?: string | null;
        createPasswordType?: unknown | null;
        defaultPersona?: unknown | null;
        /** @description What it is, in Markdown. */
        description?: string | null;
        /** @description Name for people. */
        displayName?: string | null;
        /** @description The domains that it belongs to. */
        domains?: Schemas['ReferenceInput'][] | null;
        /** @description E-mail address. */
        email?: string | null;
        /**
         * @description Where it stands in its review.
         * @default Unprocessed
         * @example Unprocessed
         * @example Draft
         * @example In Review
         * @example Approved
         * @example Rejected
         * @example Deprecated
         */
        entityStatus?: string | null;
        /** @description Values of custom properties. */
        extension?: {
            [key: string]: unknown;
        } | null;
        externalId?: unknown | null;
        /** @description Administers the catalog. Says nothing about permissions: roles do. */
        isAdmin?: boolean | null;
        /** @description A program. Of a user who exists only people with the permission `manage` change it. */
        isBot?: boolean | null;
        /** @description Who is responsible for it. */
        owners?: Schemas['ReferenceInput'][] | null;
        personas?: unknown | null;
        /** @description What user interfaces show of them. */
        profile?: {
            [key: string]: unknown;
        } | null;
        roles?: unknown | null;
        /** @description Classification tags and glossary terms. */
        tags?: Schemas['TagInput'][] | null;
        /** @description The teams that they are in. */
        teams?: Schemas['ReferenceInput'][] | null;
        timezone?: unknown | null;
    } & {
        [key: string]: unknown;
    };
    /** @description Versions of one entity, newest first. */
    UserVersions: {
        entityType: string;
        paging: Schemas['Paging'];
        versions: Schemas['User'][];
    };
    Version: {
        engines: {
            [key: string]: string;
        };
        name: string;
        node: string;
        version: string;
    };
    /** @description The new vote of the caller. */
    VoteRequest: {
        /** @enum {string} */
        updatedVoteType: "votedUp" | "votedDown" | "unVoted";
    };
    Votes: {
        downVoters: Schemas['EntityReference'][];
        downVotes: number;
        upVoters: Schemas['EntityReference'][];
        upVotes: number;
    };
    Webhook: {
        /** Format: date-time */
        createdAt: string;
        createdBy: string;
        enabled: boolean;
        /** @description With ******** for what stands behind the host */
        endpoint: string;
        filter: {
            domains?: string[];
            kinds?: string[];
            types?: string[];
        };
        href: string;
        /** Format: uuid */
        id: string;
        name: string;
        /** @description In plain text only in the response to its creation */
        secret: string;
        status: {
            deadLetters: number;
            /** @description Distance to the end of the log, in positions */
            lag: string;
            lastError?: {
                attempts: number;
                message: string;
                position: string;
                /** Format: date-time */
                time: string;
            };
            lastSuccess?: {
                position: string;
                status: number;
                /** Format: date-time */
                time: string;
            };
            /** @description Everything up to here was delivered, became a dead letter or does not match */
            position: string;
            /** @description If its checkpoint did not match the log, so that it continued from the end; position: the former */
            restarted?: {
                message: string;
                position: string;
                /** Format: date-time */
                time: string;
            };
            /** @enum {string} */
            state: "disabled" | "failing" | "delivering" | "upToDate";
        };
        /** Format: date-time */
        updatedAt: string;
        updatedBy: string;
    };
    /** @description All webhooks. */
    WebhookList: {
        data: Schemas['Webhook'][];
        paging: {
            total: number;
        };
    };
    /** @description Which events to deliver, and where. */
    WebhookRequest: {
        /** @default true */
        enabled?: boolean;
        /** @description http or https URL without user, password and fragment; as answers show it (********) it stays as it is */
        endpoint: string;
        /**
         * @description Only events of these kinds, of these types, and of entities in these domains
         * @default {}
         */
        filter?: {
            domains?: string[];
            kinds?: string[];
            types?: string[];
        };
        name: string;
        /** @description Signs what is sent (Standard Webhooks). Left out on creation: one is made */
        secret?: string;
    };
    /** @description A witness, which gets the checkpoints of the log */
    Witness: {
        /** @description It does not accept the next one; the service retries */
        failing?: {
            error: string;
            /** Format: date-time */
            since: string;
            tries: number;
        };
        /** @description Size of the last checkpoint that it accepted from this process */
        size?: number;
        /**
         * Format: date-time
         * @description When it accepted it
         */
        time?: string;
        /** @description Path of a file, or a URL */
        witness: string;
    };
    Witnesses: {
        data: Schemas['Witness'][];
    };
}
