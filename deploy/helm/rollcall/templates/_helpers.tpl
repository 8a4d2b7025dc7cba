{{- define "rollcall.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "rollcall.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "rollcall.name" .) .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "rollcall.name" .) | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{/* What selects pods: it never changes between versions. */}}
{{- define "rollcall.selector" -}}
app.kubernetes.io/name: {{ include "rollcall.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rollcall.labels" -}}
{{ include "rollcall.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "rollcall.serviceAccountName" -}}
{{ .Values.serviceAccount.create | ternary (default (include "rollcall.fullname" .) .Values.serviceAccount.name) (default "default" .Values.serviceAccount.name) }}
{{- end }}

{{- define "rollcall.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* What a schema cannot say: values that need each other. */}}
{{- define "rollcall.validate" -}}
{{- $v := .Values -}}
{{- if $v.sandbox -}}
  {{- if or $v.regions $v.queue.existingSecret $v.redis.enabled -}}
    {{- fail "sandbox: true sends to a sandbox inside serve. Leave out regions, queue and redis, or set sandbox: false" -}}
  {{- end -}}
{{- else -}}
  {{- if not $v.regions -}}
    {{- fail "regions is empty: name at least one, such as regions.us.appId and regions.us.keySecret.name; or set sandbox: true to look around" -}}
  {{- end -}}
  {{- if not $v.host -}}
    {{- fail "host is empty: set it to what follows api-<region>. in your chat service's address, such as cometchat.io" -}}
  {{- end -}}
  {{- if and $v.queue.existingSecret $v.redis.enabled -}}
    {{- fail "queue.existingSecret and redis.enabled are both set: keep one" -}}
  {{- end -}}
  {{- if not (or $v.queue.existingSecret $v.redis.enabled) -}}
    {{- fail "there is no queue: set queue.existingSecret to a Secret with its URL, or redis.enabled: true for a trial" -}}
  {{- end -}}
  {{- if and $v.redis.enabled (ne (toString $v.queue.key) "url") -}}
    {{- fail "queue.key belongs to queue.existingSecret: leave it out with redis.enabled" -}}
  {{- end -}}
{{- end -}}
{{- if and (hasPrefix "http" $v.serve.notify.url) (not $v.serve.notify.secret.name) -}}
  {{- fail "serve.notify.url needs serve.notify.secret.name: an existing Secret with the text that signs notifications" -}}
{{- end -}}
{{- if and $v.serve.notify.url $v.serve.notify.urlSecret.name -}}
  {{- fail "serve.notify.url and serve.notify.urlSecret are both set: keep one" -}}
{{- end -}}
{{- if and $v.serve.ingress.enabled (not $v.serve.ingress.host) -}}
  {{- fail "serve.ingress.enabled needs serve.ingress.host" -}}
{{- end -}}
{{- if and $v.monitoring.prometheusRule.enabled (not (and $v.monitoring.serviceMonitor.enabled $v.monitoring.serviceMonitor.tokenSecret.name)) -}}
  {{- fail "monitoring.prometheusRule.enabled needs the server's metrics: set monitoring.serviceMonitor.enabled and monitoring.serviceMonitor.tokenSecret.name, or its alerts say that the server is down" -}}
{{- end -}}
{{- with $v.autoscaling -}}
  {{- if gt (int .minReplicas) (int .maxReplicas) -}}
    {{- fail (printf "autoscaling.minReplicas is %v, which is more than autoscaling.maxReplicas (%v)" .minReplicas .maxReplicas) -}}
  {{- end -}}
  {{- if and (eq .type "hpa") (eq (int .minReplicas) 0) -}}
    {{- fail "autoscaling.minReplicas: 0 needs autoscaling.type: keda" -}}
  {{- end -}}
  {{- if and (eq (int .minReplicas) 0) (not (and $v.monitoring.serviceMonitor.enabled $v.monitoring.serviceMonitor.tokenSecret.name)) -}}
    {{- fail "autoscaling.minReplicas: 0 needs the server's metrics, as no worker is there to publish the backlog: set monitoring.serviceMonitor.enabled and monitoring.serviceMonitor.tokenSecret.name" -}}
  {{- end -}}
{{- end -}}
{{- end }}

{{/* The port that a URL leads to. */}}
{{- define "rollcall.portOf" -}}
{{- $ports := dict "http" 80 "smtp" 587 "smtps" 465 -}}
{{- $url := urlParse . -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (get $ports $url.scheme | default 443) -}}
{{- end }}

{{/* Settings of every pod. The URL of the queue may contain a password. */}}
{{- define "rollcall.env" -}}
{{- if not .Values.sandbox }}
- name: ROLLCALL_HOST
  value: {{ .Values.host | quote }}
- name: ROLLCALL_QUEUE
  {{- if .Values.redis.enabled }}
  value: redis://{{ include "rollcall.fullname" . }}-redis:6379
  {{- else }}
  valueFrom:
    secretKeyRef:
      name: {{ .Values.queue.existingSecret }}
      key: {{ .Values.queue.key }}
  {{- end }}
{{- range $region, $app := .Values.regions }}
- name: ROLLCALL_{{ upper $region }}_APP_ID
  value: {{ $app.appId | quote }}
{{- end }}
{{- end }}
- name: ROLLCALL_LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- with .Values.callsPerMinute }}
- name: ROLLCALL_CALLS_PER_MINUTE
  value: {{ . | quote }}
{{- end }}
{{- with .Values.budgetShare }}
- name: ROLLCALL_BUDGET_SHARE
  value: {{ . | quote }}
{{- end }}
{{- if .Values.ca.configMap }}
- name: ROLLCALL_CA_FILE
  value: /run/rollcall/ca/{{ .Values.ca.key }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "rollcall.caMount" -}}
{{- if .Values.ca.configMap }}
- name: ca
  mountPath: /run/rollcall/ca
  readOnly: true
{{- end }}
{{- end }}

{{- define "rollcall.caVolume" -}}
{{- with .Values.ca.configMap }}
- name: ca
  configMap:
    name: {{ . }}
{{- end }}
{{- end }}

{{/* What the pods of serve and of workers share. */}}
{{- define "rollcall.pod" -}}
serviceAccountName: {{ include "rollcall.serviceAccountName" . }}
automountServiceAccountToken: false
# A release called rollcall would get variables such as ROLLCALL_SERVE_PORT, which look like settings.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "rollcall.container" -}}
image: {{ include "rollcall.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
{{- end }}
