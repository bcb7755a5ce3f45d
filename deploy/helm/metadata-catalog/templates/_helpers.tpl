{{- define "catalog.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "catalog.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "catalog.labels" -}}
{{ include "catalog.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* A value as it was written: Helm reads numbers of files as floating-point ones. */}}
{{- define "catalog.text" -}}
{{ kindIs "float64" . | ternary (toJson .) (toString .) }}
{{- end }}

{{/* The variables that the other values set. */}}
{{- define "catalog.env" -}}
- { name: CATALOG_PORT, value: '8585' }
{{- if and .Values.ingress.enabled (not (hasKey .Values.env "CATALOG_TRUST_PROXY")) }}
- { name: CATALOG_TRUST_PROXY, value: '1' }
{{- end }}
{{- with .Values.baseUrl }}
- { name: CATALOG_BASE_URL, value: {{ . | quote }} }
{{- end }}
# Embedded stores belong to one process: without the addresses several pods do not start.
{{- if .Values.eventStoreUrl }}
- { name: CATALOG_EVENTSTORE_URL, value: {{ .Values.eventStoreUrl | quote }} }
{{- else if gt (int .Values.replicas) 1 }}
- { name: CATALOG_EVENTSTORE_URL, valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: CATALOG_EVENTSTORE_URL } } }
{{- end }}
{{- if .Values.mongodbUrl }}
- { name: CATALOG_MONGODB_URL, value: {{ .Values.mongodbUrl | quote }} }
{{- else if gt (int .Values.replicas) 1 }}
- { name: CATALOG_MONGODB_URL, valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: CATALOG_MONGODB_URL } } }
{{- end }}
{{- if .Values.auditKeySecret }}
- { name: CATALOG_AUDIT_KEY_FILE, value: /keys/audit.key }
{{- end }}
{{- if .Values.policiesConfigMap }}
- { name: CATALOG_POLICIES_FILE, value: /policies/policies.yaml }
{{- end }}
{{- if .Values.servingTlsSecret }}
- { name: CATALOG_TLS_CERT_FILE, value: /tls/tls.crt }
- { name: CATALOG_TLS_KEY_FILE, value: /tls/tls.key }
{{- end }}
{{- end }}

{{- define "catalog.check" -}}
{{- if gt (int .Values.replicas) 1 }}
{{- if not .Values.existingSecret }}
{{- fail "More than one replica needs existingSecret with CATALOG_SECRET_KEY and CATALOG_JWT_SECRET: all processes must have the same keys." }}
{{- end }}
{{- if not .Values.auditKeySecret }}
{{- fail "More than one replica needs auditKeySecret with audit.key: all processes must sign checkpoints of the log with the same key." }}
{{- end }}
{{- end }}
{{- range include "catalog.env" . | fromYamlArray }}
{{- if hasKey $.Values.env .name }}
{{- fail (printf "env has %s, which the chart sets itself, from its other values." .name) }}
{{- end }}
{{- end }}
{{- end }}
