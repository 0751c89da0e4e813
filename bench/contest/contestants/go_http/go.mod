module trunkline/contest/go_http

go 1.25

require trunkline/contest v0.0.0

replace (
	trunkline/contest => ../../drivers/go
	trunkline/contestpb => ../../../../build/contest/go/contestpb
)
