module trunkline/contest/connect_go

go 1.25

require (
	connectrpc.com/connect v1.19.1
	trunkline/contest v0.0.0
	trunkline/contestpb v0.0.0
)

require (
	golang.org/x/net v0.35.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
	golang.org/x/text v0.22.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250218202821-56aae31c358a // indirect
	google.golang.org/grpc v1.72.2 // indirect
	google.golang.org/protobuf v1.36.9 // indirect
)

replace (
	trunkline/contest => ../../drivers/go
	trunkline/contestpb => ../../../../build/contest/go/contestpb
)
