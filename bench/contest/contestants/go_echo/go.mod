module trunkline/contest/go_echo

go 1.25

require (
	github.com/labstack/echo/v4 v4.13.4
	trunkline/contest v0.0.0
)

require (
	github.com/labstack/gommon v0.4.2 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/valyala/fasttemplate v1.2.2 // indirect
	golang.org/x/crypto v0.38.0 // indirect
	golang.org/x/net v0.40.0 // indirect
	golang.org/x/sys v0.33.0 // indirect
	golang.org/x/text v0.25.0 // indirect
)

replace (
	trunkline/contest => ../../drivers/go
	trunkline/contestpb => ../../../../build/contest/go/contestpb
)
