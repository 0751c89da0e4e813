module trunkline/contest/arpc

go 1.24

require (
	google.golang.org/protobuf v1.36.6
	trunkline/contest v0.0.0
	trunkline/contestpb v0.0.0
	github.com/lesismal/arpc v1.2.17
)

replace (
	trunkline/contest => ../../drivers/go
	trunkline/contestpb => ../../../../build/contest/go/contestpb
)
